import { Injectable } from '@nestjs/common';
import { EasyHttpService } from 'nestjs-provider-auth';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from './generated/openapi-fetch/schema.js';

/** A client that uses `fetch`, here openapi-fetch: it gets our `fetch` and its base URL. */
@Injectable()
export class InvoicesService {
  readonly #client: Client<paths>;

  constructor({ fetch, baseUrl }: EasyHttpService) {
    this.#client = createClient<paths>({ fetch, baseUrl });
  }

  async upload(id: string, bytes: Uint8Array): Promise<components['schemas']['Receipt'] | undefined> {
    const { data } = await this.#client.PUT('/payments/{id}/invoice', {
      params: { path: { id } },
      // The document says `string` for bytes, and openapi-fetch would make JSON of them.
      body: '',
      bodySerializer: () => bytes,
      headers: { 'Content-Type': 'application/octet-stream' },
    });
    return data;
  }

  /** The number of bytes of an invoice, which is never in memory as a whole. */
  async size(id: string): Promise<number> {
    const { data } = await this.#client.GET('/payments/{id}/invoice', {
      params: { path: { id } },
      parseAs: 'stream',
    });
    let size = 0;
    for await (const chunk of (data ?? []) as AsyncIterable<Uint8Array>) size += chunk.length;
    return size;
  }
}
