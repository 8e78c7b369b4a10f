import { Controller, Get, Param } from '@nestjs/common';
import { HealthCheckService } from '@nestjs/terminus';
import { ProviderAuthHealthIndicator } from 'nestjs-provider-auth/terminus';
import { CheckoutService } from './checkout.service.js';

@Controller()
export class PaymentsController {
  constructor(
    private readonly checkout: CheckoutService,
    private readonly health: HealthCheckService,
    private readonly provider: ProviderAuthHealthIndicator,
  ) {}

  @Get('payments/:id')
  async payment(@Param('id') id: string) {
    return { place: place(await this.checkout.payment(id)) };
  }

  @Get('health')
  check() {
    return this.health.check([() => this.provider.isHealthy('provider')]);
  }
}

export function place(receipt: { interface: string; environment: string }): string {
  return `${receipt.interface} ${receipt.environment}`;
}
