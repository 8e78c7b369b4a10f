import type { AxiosAdapter } from 'axios';
import { type AnyPair, pairName } from '../catalogue/catalogue.js';
import type { AccessToken } from '../secrets/access-token.js';
import type { Clock } from '../time/clock.js';
import { IDENTITY, TokenIdentity } from '../token/token-identity.js';
import type { TrackedTokenProvider } from '../token/tokens.js';
import { type CallBody, isRepeatable } from '../wire/body.js';
import { CallBudget } from '../wire/call-budget.js';
import { type Config, type Outgoing, snapshotOf } from '../wire/outgoing.js';
import { holdUpload } from '../wire/upload.js';

/** A call of `fetch` gets its body as it has arrived, and its headers are searched for the token also after a success. */
export interface FetchedCall {
  /** Whether the last attempt has followed a redirect. The engine sets it. */
  isRedirected: boolean;
}

/** What the calls of a pair have in common. */
export interface CallParts {
  readonly profile: AnyPair;
  readonly tokens: TrackedTokenProvider;
  readonly clock: Clock;
}

/** One call of a caller: what stays the same over its attempts, and what the last attempt has sent. @internal */
export class Call {
  readonly budget: CallBudget;
  /** Which token the call needs. Undefined for that of the pair. */
  readonly identity: TokenIdentity | undefined;
  /** What errors, log lines and events are about: the pair, with the account of this call. */
  readonly subject: AnyPair;
  /** Every token that was sent. The API may repeat each of them. */
  readonly sentTokens: string[] = [];
  body: CallBody | undefined = undefined;
  /** Is called at the end of the call. */
  readonly releaseUpload: (() => void) | undefined;
  /** The token of the last attempt. Undefined if the request has credentials of the caller. */
  token: AccessToken | undefined;
  /** Whether the last request carried the token. After a redirect to a stranger, the answer says nothing about the token. */
  carriesToken = false;
  isSentAgain = false;
  isRedirected = false;
  /** Whether a redirect has changed the method: the API may have carried the first request out (RFC 9110, 15.4.4). */
  changedMethod = false;
  #sent: Pick<Outgoing, 'method' | 'url' | 'path'> | undefined;
  readonly #ofPair: TrackedTokenProvider;
  #tokens: TrackedTokenProvider | undefined;

  constructor(
    /** The caller's config. No token is ever in it, so results may show it. */
    readonly config: Config,
    { profile, tokens, clock }: CallParts,
    /** An adapter that the caller has chosen. */
    readonly adapter?: AxiosAdapter,
    readonly fetched?: FetchedCall,
  ) {
    this.identity = identityOf(config);
    this.subject = withAccount(profile, this.identity?.account);
    this.#ofPair = tokens;
    this.budget = new CallBudget(config, clock, () => this.#sent && snapshotOf(this.#sent));
    this.releaseUpload = typeof config.data === 'object' ? holdUpload(config.data) : undefined;
  }

  /** Errors show which request failed. */
  set sent(request: Pick<Outgoing, 'method' | 'url' | 'path'>) {
    this.#sent = request;
  }

  get isRepeatable(): boolean {
    return isRepeatable(this.config.data);
  }

  /** The token that an answer confirms or refuses. */
  get testedToken(): AccessToken | undefined {
    return this.carriesToken ? this.token : undefined;
  }

  get tokens(): TrackedTokenProvider {
    return (this.#tokens ??= this.#ofPair.of(this.identity));
  }

  waitForToken(
    begin: (tokens: TrackedTokenProvider, signal: AbortSignal) => Promise<AccessToken>,
  ): Promise<AccessToken> {
    const signal = this.budget.cancellation.toAbortSignal();
    const whileWaiting = ` while waiting for an access token of ${pairName(this.subject)}`;
    return this.budget.wait(() => begin(this.tokens, signal), whileWaiting);
  }
}

function withAccount(pair: AnyPair, account: string | undefined): AnyPair {
  const { provider, interface: name, environment } = pair;
  return account === undefined ? pair : { provider, interface: name, environment, account };
}

/** Undefined for the token of the pair. A value that this package has not made must not fall back to that token. */
function identityOf(config: object): TokenIdentity | undefined {
  const value: unknown = Object.hasOwn(config, IDENTITY) ? Reflect.get(config, IDENTITY) : undefined;
  if (value === undefined || TokenIdentity.isOne(value)) return value;
  throw new TypeError(`The member ${IDENTITY} of a config comes from for() only.`);
}
