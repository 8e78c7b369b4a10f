import { Injectable } from '@nestjs/common';
import { EasyHttpService } from 'nestjs-provider-auth';
import { type Client, createClient } from './generated/hey-api-axios/client/index.js';
import { createPayment, getPayment, type Receipt } from './generated/hey-api-axios/index.js';

/** A client that uses axios, here of hey-api: it gets the axios instance, and no base path. */
@Injectable()
export class PaymentsService {
  readonly #client: Client;

  constructor(easy: EasyHttpService) {
    this.#client = createClient({ axios: easy.axiosRef });
  }

  async payment(id: string): Promise<Receipt> {
    const { data } = await getPayment({ client: this.#client, path: { id }, throwOnError: true });
    return data;
  }

  async pay(amount: number): Promise<Receipt> {
    const { data } = await createPayment({ client: this.#client, body: { amount }, throwOnError: true });
    return data;
  }

  /** What happens with the server that the OpenAPI document names: the call is refused. */
  async payElsewhere(amount: number): Promise<void> {
    const baseURL = 'https://provider.example/v1';
    await createPayment({ client: this.#client, baseURL, body: { amount }, throwOnError: true });
  }
}
