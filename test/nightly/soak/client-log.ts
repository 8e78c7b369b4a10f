import { createHash } from 'node:crypto';
import type { ApiRequestRecord, TokenRequestRecord } from '../../../lib/testing/index.js';
import type { CallReport } from './backend.js';
import { AHEAD_MS, API_FAULTS, CALL_TIMEOUT_MS, type ProviderFault, TOKEN_TIMEOUT_MS } from './faults.js';

/** The lifetime of tokens. It is short, so that the clients renew often. */
export const LIFETIME_MS = 4_000;

/** How much later than on the wire a process may see something. It excuses late times only, never a wrong request or response. */
const TOLERANCE_MS = 1_500;
/** How much the clocks of two processes may differ. They count whole milliseconds. */
const ROUNDING_MS = 25;

interface Issued {
  readonly at: number;
  readonly endsAt: number;
  readonly fingerprint: string;
}

interface Failed {
  readonly at: number;
  readonly code: string;
}

/** What one client sent and received. It checks that the rules allow it. */
export class ClientLog {
  fault: ProviderFault | undefined;
  readonly issued: Issued[] = [];
  readonly failed: Failed[] = [];
  readonly wrong: string[] = [];
  resent = 0;
  readonly #tokenRequests: { at: number; lasts: boolean; outcome: Issued | Failed | undefined }[] = [];
  readonly #sent = new Map<string, ApiRequestRecord[]>();
  /** When the API refused each token for the first time. */
  readonly #refusedAt = new Map<string, number>();

  constructor(
    readonly name: string,
    private readonly renewsAhead: boolean,
  ) {}

  tokenRequested({ at: date, token, status }: TokenRequestRecord, fault: ProviderFault | undefined): void {
    const at = date.getTime();
    let outcome: Issued | Failed | undefined;
    if (fault?.code !== undefined) this.failed.push((outcome = { at, code: fault.code }));
    else if (token !== undefined) {
      const endsAt = at + (fault?.expiresInMs ?? LIFETIME_MS);
      const fingerprint = createHash('sha256').update(token).digest('hex').slice(0, 16);
      this.issued.push((outcome = { at, endsAt, fingerprint }));
    } else if (status !== undefined) {
      // The application has sent the secret from before a rotation.
      this.failed.push((outcome = { at, code: 'TOKEN_REJECTED' }));
    }
    this.#tokenRequests.push({ at, lasts: fault?.lasts === true, outcome });
  }

  apiRequested(record: ApiRequestRecord): void {
    this.#sent.set(record.path, [...(this.#sent.get(record.path) ?? []), record]);
  }

  /** Checks a call that is over. Its requests are then complete. */
  check(call: CallReport): void {
    const sent = this.#sent.get(call.path) ?? [];
    this.#sent.delete(call.path);
    if (sent.length > 1) this.resent += 1;
    for (const { status, tokenFingerprint: fingerprint = '', at } of sent) {
      const before = this.#refusedAt.get(fingerprint) ?? Infinity;
      if (status === 401) this.#refusedAt.set(fingerprint, Math.min(before, at.getTime()));
    }
    const trouble = this.#violationOf(call, sent);
    if (trouble === undefined && this.#isAllowed(call, sent)) return;
    this.wrong.push(
      `${trouble ?? `nothing allows ${call.outcome}`}: ${JSON.stringify(call)} answered [${sent.map(({ status }) => status).join()}]`,
    );
  }

  #violationOf(call: CallReport, sent: readonly ApiRequestRecord[]): string | undefined {
    if (sent.length > 2) return `C3: sent ${sent.length} times`;
    if (sent.length === 2 && sent[0]?.status !== 401) return `C3: sent again after ${sent[0]?.status}`;
    if (sent.length === 2 && call.body === 'stream') return 'B4: a stream was sent again';
    for (const [index, { tokenFingerprint, at }] of sent.entries()) {
      const token = this.issued.find(({ fingerprint }) => fingerprint === tokenFingerprint);
      if (token === undefined) return 'S5, S7: carried no token of this client';
      // The client chose the token after this. Sending may be slow, but the client must read the clock when it chooses.
      const chosenAfter = index === 0 ? call.startedAt : (sent[0]?.at.getTime() ?? 0);
      if (chosenAfter > token.endsAt + ROUNDING_MS || at.getTime() > token.endsAt + TOLERANCE_MS)
        return 'S11: carried a token after its life';
    }
    return undefined;
  }

  /** Whether the fault of a call, or a fault of the provider, allows the outcome of the call. */
  #isAllowed(call: CallReport, sent: readonly ApiRequestRecord[]): boolean {
    const { outcome, startedAt, endedAt } = call;
    const { allows = [], timeoutMs } = API_FAULTS[call.fault] ?? {};
    if (outcome === 'ERR_CANCELED') return call.aborts;
    if (outcome === '401') {
      if (sent.at(-1)?.status !== 401) return false;
      return (
        sent.length === 2 ||
        call.body === 'stream' ||
        this.#failures(call).length > 0 ||
        this.#wasRefused(call)
      );
    }
    if (outcome === 'ECONNABORTED') {
      if (endedAt - startedAt < (timeoutMs ?? CALL_TIMEOUT_MS) - 1) return false;
      return (
        timeoutMs !== undefined || this.#tokenRequests.some(({ at }) => at >= startedAt && at <= endedAt)
      );
    }
    if (sent.length === 0) return this.#failures(call).some(({ code }) => code === outcome);
    if (call.fault === 'refused-once' && sent.length !== 2) return false;
    return allows.includes(outcome);
  }

  /** Failed token requests whose errors may reach this call: no later token was there when the call began. */
  #failures({ startedAt, endedAt }: CallReport): Failed[] {
    return this.failed.filter(
      ({ at }) =>
        at <= endedAt + TOLERANCE_MS &&
        !this.issued.some((token) => token.at > at && token.at + TOLERANCE_MS < startedAt),
    );
  }

  /** Whether renewals may be paused: the API has refused a token that came after a refusal. */
  #wasRefused({ endedAt }: CallReport): boolean {
    return this.issued.some(({ at, fingerprint }, index) => {
      const before = this.issued[index - 1];
      if (at > endedAt || before === undefined) return false;
      return this.#hasRefused(before.fingerprint) && this.#hasRefused(fingerprint);
    });
  }

  /** Also in a request of a call that is not over. */
  #hasRefused(fingerprint: string): boolean {
    const open = [...this.#sent.values()].flat();
    return (
      this.#refusedAt.has(fingerprint) ||
      open.some(({ status, tokenFingerprint }) => status === 401 && tokenFingerprint === fingerprint)
    );
  }

  /** At the end of the run: whether the last token allowed each token request. */
  checkTokenRequests(): void {
    let token: Issued | undefined;
    for (const [index, { at, outcome }] of this.#tokenRequests.entries()) {
      const before = this.#tokenRequests[index - 1];
      const time = new Date(at).toISOString();
      if (before?.lasts === true && at < before.at + TOKEN_TIMEOUT_MS - TOLERANCE_MS)
        this.wrong.push(`B1: a token request at ${time} while another was under way`);
      const isNeeded =
        token === undefined ||
        before?.outcome !== token ||
        at >= token.endsAt - TOLERANCE_MS - (this.renewsAhead ? AHEAD_MS : 0) ||
        (this.#refusedAt.get(token.fingerprint) ?? Infinity) <= at + ROUNDING_MS;
      if (!isNeeded) this.wrong.push(`S8, B2: a token request at ${time} although the last token was good`);
      if (outcome !== undefined && 'fingerprint' in outcome) token = outcome;
    }
    if (this.issued.length < 2) this.wrong.push('the client never renewed its token');
  }
}
