import { Controller, Get, Module } from '@nestjs/common';
import { EasyHttpService, ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';
import { map } from 'rxjs';
import { report } from '../case.js';

@Controller('payments')
class PaymentsController {
  constructor(private readonly easy: EasyHttpService) {}

  @Get()
  find() {
    return this.easy.get('/payments').pipe(map(({ data }) => data));
  }
}

@Module({
  imports: [ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())],
  controllers: [PaymentsController],
})
class AppModule {}

// THE BLOCK

const answer = await fetch(`${await app.getUrl()}/payments`, { headers: { Connection: 'close' } });
report([answer.status, Number(answer.headers.get('retry-after')) > 0, await answer.json()]);
await app.close();
