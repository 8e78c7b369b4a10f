import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../config/options/token-store.js';
import { readSealKey, sourceOf } from '../secrets/secret-source.js';
import { Milliseconds, readOptions, Setting } from '../config/setting.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { Secret } from '../secrets/secret.js';
import { hostOf, type RedisClient, type RunScript, runnerOf, WRONG_CLIENT } from './redis-client.js';
import { CLAIM, SETTLE } from './scripts.js';

/** Options of `RedisTokenStore`. */
export class RedisTokenStoreOptions {
  /** The start of all keys, without braces. @default 'provider-auth:' */
  @Setting((value) =>
    typeof value === 'string' && !/[{}]/.test(value)
      ? undefined
      : 'must be a text without braces, because braces decide the slot in a cluster.',
  )
  keyPrefix?: string | undefined = 'provider-auth:';

  /**
   * Seals the tokens of clients that have neither a secret nor a private key: at least 32 bytes, the same for all processes of
   * the fleet. A function is called for each renewal. Other clients seal with their own credential. @default none
   */
  @Setting()
  sealKey?: string | Secret | (() => string | Secret | Promise<string | Secret>) | undefined;

  /** How many milliseconds one operation may take before the process continues without Redis. @default 250 */
  @Milliseconds(1, 60_000)
  timeoutMs?: number | undefined = 250;
}

/**
 * Keeps a fleet's tokens in Redis 5 or newer, or in Valkey. Your app creates, connects and closes the client, and may use it
 * for other things too. Processes with different kinds of clients share tokens.
 *
 * @example
 * store: new RedisTokenStore(new Redis(process.env.REDIS_URL))
 *
 * @example
 * // Without `await`, so that your app starts even if Redis is down.
 * const client = createClient({ url }).on('error', log);
 * client.connect().catch(() => {});
 * store: new RedisTokenStore(client)
 *
 * @example
 * store: new RedisTokenStore((script, keys, args) => anyOtherClient.eval(script, keys, args))
 */
export class RedisTokenStore implements TokenStore {
  readonly timeoutMs: number;
  readonly host: string | undefined;
  readonly sealKey: TokenStore['sealKey'];
  readonly #run: RunScript;
  readonly #keyPrefix: string;

  constructor(client: RedisClient, options: RedisTokenStoreOptions = {}) {
    const { keyPrefix, timeoutMs, sealKey } = readOptions(RedisTokenStoreOptions, options, 'store');
    const place = { path: 'store.sealKey', env: undefined };
    const source = sealKey ? sourceOf(sealKey, place, readSealKey, options) : undefined;
    const run = runnerOf(client, timeoutMs);
    if (run === undefined)
      throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: 'store.client', message: WRONG_CLIENT }]);
    this.#run = run;
    this.#keyPrefix = keyPrefix;
    this.timeoutMs = timeoutMs;
    this.sealKey = source && (() => source.read());
    this.host = hostOf(client);
  }

  async claim({ name, unwanted, lease }: StoreClaim): Promise<StoreAnswer> {
    const { owner = '', ms = 0 } = lease ?? {};
    return readAnswer(await this.#run(CLAIM, this.#keys(name), [owner, String(ms), unwanted?.value ?? '']));
  }

  async publish({ name, owner, value, expiresAt }: StorePublication): Promise<void> {
    await this.#run(SETTLE, this.#keys(name), [owner, value, String(expiresAt), '', '0']);
  }

  async release({ name, owner, note }: StoreRelease): Promise<void> {
    const { value = '', ms = 0 } = note ?? {};
    await this.#run(SETTLE, this.#keys(name), [owner, '', '0', value, String(ms)]);
  }

  /** The braces put both keys into one slot of a cluster. A script can only use keys of one slot. */
  #keys(name: string): [entry: string, lease: string] {
    const entry = `${this.#keyPrefix}{${name}}`;
    return [entry, `${entry}:lease`];
  }
}

function readAnswer(reply: unknown): StoreAnswer {
  if (!Array.isArray(reply)) throw new TypeError('NOT_AN_ANSWER');
  const [state, now, ends, given] = reply.map((part: unknown) => textOf(part) ?? part);
  const times = { now: Number(now), expiresAt: Number(ends) };
  if (state === 'found' && typeof given === 'string') return { state, ...times, value: given };
  if (state === 'held') return { state, ...times, note: textOf(given) };
  if (state === 'leased' || state === 'free') return { state, now: times.now };
  throw new TypeError('NOT_AN_ANSWER');
}

/** A client with a type mapping gives bytes. All texts that the scripts return are ASCII, so no byte is lost. */
function textOf(reply: unknown): string | undefined {
  if (typeof reply === 'string') return reply;
  return reply instanceof Uint8Array ? Buffer.from(reply).toString('latin1') : undefined;
}
