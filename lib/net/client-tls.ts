import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { withoutInherited } from './pollution.js';

export type PemTexts = Readonly<Partial<Record<'ca' | 'cert' | 'key', string>>>;

/**
 * The authorities that one interface and environment trusts, and its client certificate. Connections get a
 * `SecureContext`: no code can read the private key from it (S10).
 */
export class ClientTls {
  readonly #pem: PemTexts;
  readonly #context: SecureContext;

  /** Throws an error of OpenSSL if the texts cannot be used. */
  constructor(pem: PemTexts) {
    this.#pem = { ...pem };
    this.#context = createSecureContext(withoutInherited(this.#pem));
    Object.freeze(this);
  }

  /** The authorities, if the configuration names any. They are no secret. */
  get ca(): string | undefined {
    return this.#pem.ca;
  }

  /** The client certificate with the authorities of one request. */
  secureContextFor(ca: SecureContextOptions['ca']): SecureContext {
    return createSecureContext(withoutInherited({ ...this.#pem, ca }));
  }

  /** @param further what else `tls.createSecureContext` takes, such as `ciphers`. */
  secureContext(further?: SecureContextOptions): SecureContext {
    if (further === undefined) return this.#context;
    return createSecureContext(withoutInherited({ ...further, ...this.#pem }));
  }
}
