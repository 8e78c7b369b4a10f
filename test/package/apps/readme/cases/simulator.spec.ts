import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EasyHttpService, ProviderAuthModule } from 'nestjs-provider-auth';
import { firstValueFrom, map } from 'rxjs';

@Injectable()
class CheckoutService {
  constructor(private readonly easy: EasyHttpService) {}

  payment(id: string) {
    return this.easy.get(`/payments/${id}`).pipe(map((answer) => answer.data));
  }
}

// THE BLOCK
