import type {
  ApiRequestRecord,
  Held,
  ProviderSimulator,
  TokenRequestRecord,
} from '../../../lib/testing/index.js';
import type { Lane } from './lanes.js';
import type { CallReport } from './messages.js';
import type { LaneOfProvider, Weather } from './weather.js';

/** A token request, and the weather in which it arrived. */
export interface TokenRequest {
  readonly at: number;
  readonly weather: Weather | undefined;
  readonly record: TokenRequestRecord;
}

interface Rotation {
  readonly at: number;
  readonly secret: string;
  /** When the application had the new secret. */
  knownAt?: number;
}

/** How soon a token must not end that is handed out once more. */
const LIVES_ON_MS = 1_500;

/** What one lane's provider received, and the weather over it. */
export class LaneLedger implements LaneOfProvider {
  readonly tokenRequests: TokenRequest[] = [];
  /** Requests by path; every call has a path of its own. */
  readonly calls = new Map<string, ApiRequestRecord[]>();
  /** Requests by the token that they carried. */
  readonly uses = new Map<string, ApiRequestRecord[]>();
  /** How calls ended for those who made them, by path. */
  readonly ends = new Map<string, CallReport>();
  readonly rotations: Rotation[] = [];
  readonly wrong: string[] = [];
  #weather: Weather | undefined;
  #held: Held[] = [];
  #revoked: string | undefined;

  constructor(
    readonly lane: Lane,
    private readonly provider: ProviderSimulator,
  ) {}

  tokenRequested(record: TokenRequestRecord): void {
    this.tokenRequests.push({ at: record.at.getTime(), weather: this.#weather, record });
  }

  apiRequested(record: ApiRequestRecord): void {
    push(this.calls, record.path, record);
    const { tokenFingerprint } = record;
    if (tokenFingerprint === undefined) this.wrong.push(`S7: ${record.path} arrived without a token`);
    else push(this.uses, tokenFingerprint, record);
  }

  callEnded(call: CallReport): void {
    this.ends.set(call.path, call);
  }

  begin(weather: Weather): void {
    this.#weather = weather;
    weather.begin?.(this);
  }

  end(): void {
    this.#weather = undefined;
    for (const held of this.#held) held.release();
    this.#held = [];
  }

  /** Writes the scripts of the weather, after those that always stand. */
  install(): void {
    const { interface: name, environment } = this.lane;
    this.#weather?.token?.(this.provider.token.for(name, environment), this);
    this.#weather?.api?.(this.provider.api.for(name, environment));
  }

  lastTokenLives(): boolean {
    const last = this.#lastIssued();
    return (
      last !== undefined &&
      last !== this.#revoked &&
      claimsOf(last).exp * 1_000 - 1_000 > Date.now() + LIVES_ON_MS
    );
  }

  holds(held: Held): void {
    this.#held.push(held);
  }

  revokeLast(): void {
    this.#revoked = this.#lastIssued();
    if (this.#revoked !== undefined) this.provider.token.revoke(this.#revoked);
  }

  revokeAll(): void {
    this.#revoked = this.#lastIssued();
    this.provider.token.for(this.lane.interface, this.lane.environment).revokeAll();
  }

  rotateSecret(): void {
    const secret = this.provider.rotateSecret(this.lane.interface, this.lane.environment);
    this.rotations.push({ at: Date.now(), secret });
  }

  rotationIsKnown(): void {
    for (const rotation of this.rotations) rotation.knownAt ??= Date.now();
  }

  /** Forgets what nothing can depend on any more. */
  forgetBefore(time: number): void {
    for (const [token, uses] of this.uses) {
      if ((uses.at(-1)?.at.getTime() ?? 0) < time) this.uses.delete(token);
    }
    for (const [path, { endedAt }] of this.ends) {
      if (endedAt < time) this.ends.delete(path);
    }
  }

  #lastIssued(): string | undefined {
    const { interface: name, environment } = this.lane;
    const fresh = this.provider.tokenRequests.findLast(
      (record) =>
        record.interface === name && record.environment === environment && record.token !== undefined,
    );
    return (fresh ?? this.tokenRequests.findLast(({ record }) => record.token !== undefined)?.record)?.token;
  }
}

function push<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}

function claimsOf(token: string): { exp: number } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { exp: number };
}
