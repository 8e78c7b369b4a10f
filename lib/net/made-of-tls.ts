interface Versioned {
  readonly version: symbol;
}

/**
 * What is made with certificates that may change, as an agent or a pool. After a change it is made again for the next
 * request, and the old one is retired (B34): a TLS session that is resumed would bring the old client certificate.
 */
export class MadeOfTls<Made> {
  readonly #tls: Versioned | undefined;
  readonly #create: () => Made;
  readonly #retire: (old: Made) => void;
  #made: { readonly value: Made; readonly version: symbol | undefined } | undefined;

  /** @param tls undefined for certificates that never change. */
  constructor(tls: Versioned | undefined, create: () => Made, retire: (old: Made) => void) {
    this.#tls = tls;
    this.#create = create;
    this.#retire = retire;
  }

  get current(): Made {
    const version = this.#tls?.version;
    const old = this.#made;
    if (old !== undefined && old.version === version) return old.value;
    this.#made = { value: this.#create(), version };
    if (old !== undefined) this.#retire(old.value);
    return this.#made.value;
  }

  retire(): void {
    if (this.#made !== undefined) this.#retire(this.#made.value);
  }
}
