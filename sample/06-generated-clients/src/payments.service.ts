import { Injectable } from '@nestjs/common';
import { EasyHttpService } from 'nestjs-provider-auth';
import { getPayments, type Receipt } from './generated/orval-axios/payments.js';

/** A client that uses axios, here of orval: it gets the axios instance, and no base path. */
@Injectable()
export class PaymentsService {
  readonly #client: ReturnType<typeof getPayments>;

  constructor(easy: EasyHttpService) {
    this.#client = getPayments(easy.axiosRef);
  }

  async payment(id: string): Promise<Receipt> {
    const { data } = await this.#client.getPayment(id);
    return data;
  }

  async pay(amount: number): Promise<Receipt> {
    const { data } = await this.#client.createPayment({ amount });
    return data;
  }

  /** What happens with the server that the OpenAPI document names: the call is refused. */
  async payElsewhere(amount: number): Promise<void> {
    await this.#client.createPayment({ amount }, { baseURL: 'https://provider.example/v1' });
  }
}
