import { HttpService } from '@nestjs/axios';
import { Injectable, Module } from '@nestjs/common';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { firstValueFrom } from 'rxjs';
import { report, start } from '../case.js';

@Injectable()
class InvoicesService {
  constructor(private readonly http: HttpService) {}

  async path(): Promise<string> {
    const answer = await firstValueFrom(
      this.http.get<{ path: string }>('/invoices', { params: { state: ['open', 'late'] } }),
    );
    return answer.data.path;
  }
}

// THE BLOCK

const app = await start(InvoicesModule);
report(await app.get(InvoicesService).path());
await app.close();
