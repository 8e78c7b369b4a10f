import type {
  ApiRequestRecord,
  Held,
  ProviderSimulator,
  TokenRequestRecord,
} from '../../../lib/testing/index.js';
import type { ClientUnderTest } from './clients-under-test.js';
import type { CallReport } from './messages.js';
import type { FaultTarget, ProviderFault } from './provider-faults.js';

/** A token request, and the fault that was active when it arrived. */
export interface TokenRequest {
  readonly at: number;
  readonly fault: ProviderFault | undefined;
  readonly record: TokenRequestRecord;
}

interface Rotation {
  readonly at: number;
  readonly secret: string;
  /** When the application had the new secret. */
  knownAt?: number;
}

/** A token that is issued a second time must live at least this long. */
const LIVES_ON_MS = 1_500;

/** The requests that a provider received from one client, and the fault that is active for this client. */
export class ClientRequestLog implements FaultTarget {
  readonly tokenRequests: TokenRequest[] = [];
  /** Requests by path. Each call has its own path. */
  readonly calls = new Map<string, ApiRequestRecord[]>();
  /** Requests by their token. */
  readonly uses = new Map<string, ApiRequestRecord[]>();
  /** Outcomes of calls as their callers saw them, by path. */
  readonly ends = new Map<string, CallReport>();
  readonly rotations: Rotation[] = [];
  readonly wrong: string[] = [];
  #fault: ProviderFault | undefined;
  #held: Held[] = [];
  #revoked: string | undefined;

  constructor(
    readonly client: ClientUnderTest,
    private readonly provider: ProviderSimulator,
  ) {}

  tokenRequested(record: TokenRequestRecord): void {
    this.tokenRequests.push({ at: record.at.getTime(), fault: this.#fault, record });
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

  begin(fault: ProviderFault): void {
    this.#fault = fault;
    fault.begin?.(this);
  }

  end(): void {
    this.#fault = undefined;
    for (const held of this.#held) held.release();
    this.#held = [];
  }

  /** Installs the scripts of the active fault. Call it after the permanent scripts are installed. */
  install(): void {
    const { interface: name, environment } = this.client;
    this.#fault?.token?.(this.provider.token.for(name, environment), this);
    this.#fault?.api?.(this.provider.api.for(name, environment));
  }

  lastTokenLives(): boolean {
    const last = this.#lastIssued();
    return (
      last !== undefined &&
      last !== this.#revoked &&
      claimsOf(last).exp * 1_000 - 1_000 > Date.now() + LIVES_ON_MS
    );
  }

  addHeld(held: Held): void {
    this.#held.push(held);
  }

  revokeLast(): void {
    this.#revoked = this.#lastIssued();
    if (this.#revoked !== undefined) this.provider.token.revoke(this.#revoked);
  }

  revokeAll(): void {
    this.#revoked = this.#lastIssued();
    this.provider.token.for(this.client.interface, this.client.environment).revokeAll();
  }

  rotateSecret(): void {
    const secret = this.provider.rotateSecret(this.client.interface, this.client.environment);
    this.rotations.push({ at: Date.now(), secret });
  }

  rotationIsKnown(): void {
    for (const rotation of this.rotations) rotation.knownAt ??= Date.now();
  }

  /** Deletes old records, so that the memory of a long soak stays small. No later check needs them. */
  forgetBefore(time: number): void {
    for (const [token, uses] of this.uses) {
      if ((uses.at(-1)?.at.getTime() ?? 0) < time) this.uses.delete(token);
    }
    for (const [path, { endedAt }] of this.ends) {
      if (endedAt < time) this.ends.delete(path);
    }
  }

  #lastIssued(): string | undefined {
    const { interface: name, environment } = this.client;
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
