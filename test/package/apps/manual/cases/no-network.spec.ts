import { Test } from '@nestjs/testing';
import { ProviderAuthModule } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { AppModule, CheckoutService } from '../checkout.js';

// THE BLOCK
