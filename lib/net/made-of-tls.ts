interface Versioned {
  readonly version: symbol;
}

/**
 * What is made with certificates that may change, as an agent or a pool. After a change it is made again for the next
 * request, and the old one is retired: a TLS session that is resumed would bring the old client certificate.
 */
export class MadeOfTls<Made> {
  #made: { readonly value: Made; readonly version: symbol | undefined } | undefined;

  /** @param tls undefined for certificates that never change. */
  constructor(
    private readonly tls: Versioned | undefined,
    private readonly create: () => Made,
    private readonly retireOld: (old: Made) => void,
  ) {}

  get current(): Made {
    const version = this.tls?.version;
    const old = this.#made;
    if (old !== undefined && old.version === version) return old.value;
    this.#made = { value: this.create(), version };
    if (old !== undefined) this.retireOld(old.value);
    return this.#made.value;
  }

  retire(): void {
    if (this.#made !== undefined) this.retireOld(this.#made.value);
  }
}
