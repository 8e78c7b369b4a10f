import type { Adapter, AdapterPayload } from 'oidc-provider';

/** The storage of oidc-provider: for issued tokens and for the clients that a test has registered. */
export class MemoryAdapter implements Adapter {
  readonly #entries = new Map<string, AdapterPayload>();

  upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#entries.set(id, payload);
    return Promise.resolve();
  }

  find(id: string): Promise<AdapterPayload | undefined> {
    return Promise.resolve(this.#entries.get(id));
  }

  destroy(id: string): Promise<void> {
    this.#entries.delete(id);
    return Promise.resolve();
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUid(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  consume(): Promise<void> {
    return Promise.resolve();
  }

  revokeByGrantId(): Promise<void> {
    return Promise.resolve();
  }
}
