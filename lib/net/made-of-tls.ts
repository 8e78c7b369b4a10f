/** What is made with certificates that may change. */
interface Versioned {
  /** Another symbol after each change. */
  readonly version: symbol;
}

/**
 * A thing that is made with the current certificates, as an agent or a pool. After a change it is made again for the next
 * request, and the old one is retired (B34). Agents and pools also keep TLS sessions: a session that is resumed would bring the
 * old client certificate, so changing the context is not enough.
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

  /** Retires what was made last, if anything was made. */
  retire(): void {
    if (this.#made !== undefined) this.#retire(this.#made.value);
  }
}
