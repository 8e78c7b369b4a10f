import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { type AnyPair, pairName } from '../catalogue/catalogue.js';
import { LogThrottle } from '../logging/log-throttle.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { type Clock, systemClock } from '../time/clock.js';
import { withoutInherited } from '../values/objects.js';

/** PEM texts, and what else connections of the pair use. */
export type PemTexts = Readonly<
  Partial<Record<'ca' | 'cert' | 'key' | 'ciphers' | 'servername', string>> &
    Pick<SecureContextOptions, 'minVersion'>
>;

/** How often the source is read again at most, while requests are made. */
const LOOK_MS = 30_000;

const DAY_MS = 24 * 60 * 60 * 1000;
const ENDS_SOON_DAYS = 14;
const FEW_DAYS = ['less than a day', 'one day'];

export interface TlsFlaw {
  readonly setting: string;
  readonly flaw: string;
}

export interface TlsSource {
  readonly pair: AnyPair;
  readonly cert: string;
  /** Reads the values again, and checks them as the boot does. Undefined if `isCurrent` says that nothing has changed. */
  read?(isCurrent: (pem: PemTexts) => boolean): Promise<ClientTls | TlsFlaw | undefined>;
}

/**
 * The authorities that one interface and environment trusts, and its client certificate. Connections get a `SecureContext`:
 * no code can read the private key from it (S10).
 *
 * The values can change while the application runs. Requests call `look()`, which compares the content: a mounted
 * secret is a link that is replaced, so `fs.watch` would not help.
 */
export class ClientTls {
  /** The name that the certificate of the API must be for, in place of the host. */
  readonly servername: string | undefined;
  readonly #source: TlsSource | undefined;
  readonly #clock: Clock;
  readonly #logger: Pick<SafeLogger, 'warn' | 'log'>;
  readonly #unreadable = new LogThrottle();
  readonly #ending: LogThrottle;
  #material: Material;
  #readAt: number;
  #reading: Promise<void> | undefined;

  /** Throws an error of OpenSSL if the texts cannot be used. */
  constructor(
    pem: PemTexts,
    source?: TlsSource,
    clock: Clock = systemClock,
    logger: Pick<SafeLogger, 'warn' | 'log'> = new SafeLogger(),
  ) {
    this.#material = materialOf({ ...pem });
    this.#source = source;
    this.#clock = clock;
    this.#logger = logger;
    this.#ending = new LogThrottle(clock, DAY_MS);
    this.#readAt = clock.monotonic();
    this.servername = pem.servername;
    Object.freeze(this);
  }

  get ca(): string | undefined {
    return this.#material.pem.ca;
  }

  /** PEM of the client certificate. A function, because a certificate often shows the client id, which loggers must not print (S10). */
  certificate(): string | undefined {
    return this.#material.pem.cert;
  }

  /** Another symbol after each change. A connection that was made with another version must not get further requests. */
  get version(): symbol {
    return this.#material.version;
  }

  get endsAt(): Date | undefined {
    return this.#material.endsAt;
  }

  secureContext(): SecureContext {
    return this.#material.context;
  }

  /** Called before each request, which does not wait for it. */
  look(afterMs = LOOK_MS): void {
    if (this.#clock.monotonic() >= this.#readAt + afterMs) void this.#readOnce();
  }

  /** Called after a failure of a connection with this version. Returns whether another connection would use other values. */
  async readAgainSince(version: symbol): Promise<boolean> {
    // This reading may have begun before the change.
    await this.#reading;
    if (this.version === version) await this.#readOnce();
    return this.version !== version;
  }

  /** Says that the client certificate ends soon. The log and the doctor use these words. Undefined if it does not. */
  get endWarning(): string | undefined {
    const { endsAt } = this;
    if (this.#source === undefined || endsAt === undefined) return undefined;
    const leftMs = endsAt.getTime() - this.#clock.wall();
    if (leftMs >= ENDS_SOON_DAYS * DAY_MS) return undefined;
    const { pair, cert } = this.#source;
    const days = Math.floor(leftMs / DAY_MS);
    const when = leftMs < 0 ? 'has expired' : `expires in ${FEW_DAYS[days] ?? `${days} days`}`;
    return `The client certificate of ${pairName(pair)} ${when}, on ${endsAt.toISOString()}. Put a new one into ${cert}.`;
  }

  warnOfEnd(): void {
    const warning = this.endWarning;
    if (warning !== undefined && this.#ending.recurs())
      this.#logger.warn(`${warning} (CERTIFICATE_ENDS, ${this.#source?.cert})`);
  }

  #readOnce(): Promise<void> {
    return (this.#reading ??= this.#readAgain().finally(() => (this.#reading = undefined)));
  }

  async #readAgain(): Promise<void> {
    this.#readAt = this.#clock.monotonic();
    this.warnOfEnd();
    const { pair } = this.#source ?? {};
    // A volume may be replaced between the reading of two files. Then the second reading is right.
    const found = await this.#read().then((one) => (isFlaw(one) ? this.#read() : one));
    if (pair === undefined) return;
    if (isFlaw(found)) {
      if (this.#unreadable.begins())
        this.#logger.warn(
          `The certificates of ${pairName(pair)} have changed, but cannot be used: ${found.setting} ${found.flaw} ` +
            `Connections still use the old certificates. (CERTIFICATE_UNREADABLE, ${found.setting})`,
        );
      return;
    }
    this.#unreadable.ends();
    if (found === undefined) return;
    this.#material = found.#material;
    this.#logger.log(`The certificates of ${pairName(pair)} have changed. New connections use them.`);
  }

  async #read(): Promise<ClientTls | TlsFlaw | undefined> {
    const { pem } = this.#material;
    return this.#source?.read?.(({ ca, cert, key }) => ca === pem.ca && cert === pem.cert && key === pem.key);
  }
}

/** What connections use. After a change it is replaced as a whole. */
interface Material {
  readonly pem: PemTexts;
  readonly context: SecureContext;
  readonly endsAt: Date | undefined;
  readonly version: symbol;
}

function materialOf(pem: PemTexts): Material {
  const { cert } = pem;
  return {
    pem,
    context: createSecureContext(withoutInherited(pem)),
    endsAt: cert === undefined ? undefined : new Date(new X509Certificate(cert).validTo),
    version: Symbol('tls of one interface and environment'),
  };
}

function isFlaw(found: object | undefined): found is TlsFlaw {
  return found !== undefined && 'flaw' in found;
}

/**
 * What is made with certificates that may change, as an agent or a pool. After a change it is made again for the next
 * request, and the old one is retired: a TLS session that is resumed would bring the old client certificate.
 */
export class MadeOfTls<Made> {
  #made: { readonly value: Made; readonly version: symbol | undefined } | undefined;

  /** @param tls undefined for certificates that never change. */
  constructor(
    private readonly tls: { readonly version: symbol } | undefined,
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
