import type { AxiosResponse, InternalAxiosRequestConfig } from 'axios';
import type { AnyPair } from '../catalogue/catalogue.js';
import type { Clock } from '../time/clock.js';
import { IDENTITY, TokenIdentity } from '../token/token-identity.js';
import type { TrackedTokenProvider } from '../token/token-provider.js';
import { hasAny, isObject } from '../values/is-object.js';
import { CallBudget } from '../wire/call-budget.js';
import type { Sealing } from '../wire/received-body.js';
import type { AdapterTraits } from './adapter/adapter-traits.js';
import { takeAgents, type WithheldAgents } from './adapter/connection.js';
import { holdBody } from './adapter/request-body.js';
import { fixedFormType } from './adapter/wire-config.js';
import { isDirectConfig } from './direct/direct-call.js';
import { CallTrace, snapshotOfCall } from './redaction/clean-request.js';
import { type StreamedBody, sealStream } from './redaction/sealed-stream.js';

export interface ResultStyle {
  /** Makes another body from a streamed body. The new body must not lead to it. */
  sealStream(body: StreamedBody, sealing: Sealing, headers: AxiosResponse['headers']): unknown;
  /** Whether the headers of a success are searched for the token too. */
  readonly redactsSuccess: boolean;
  /** Whether a direct sender can send the config (B16). */
  isDirect(config: InternalAxiosRequestConfig): boolean;
}

const AXIOS_RESULT: ResultStyle = { sealStream, redactsSuccess: false, isDirect: isDirectConfig };

const OF_CONNECTION = ['socketPath', 'lookup', 'family', 'transport', 'http2Options'];

/** One call of a caller: what stays the same over its attempts. */
export class Call {
  readonly budget: CallBudget;
  readonly trace: CallTrace;
  /** The content type of a form, which a resend repeats. Undefined for other bodies. */
  readonly formType: string | undefined;
  /** Is called at the end of the call. */
  readonly releaseBody: (() => void) | undefined;
  /** Which token the call needs. Undefined for that of the pair. */
  readonly identity: TokenIdentity | undefined;
  /** The provider of this token, from its first use on. @internal */
  tokens: TrackedTokenProvider | undefined;
  /** After a 401. @internal */
  isSentAgain = false;
  #agents: WithheldAgents | undefined;

  constructor(
    /**
     * The caller's config, which every result shows. No token is ever in it, its agents are taken out, and an attempt
     * fixes what it sends: what an interceptor that keeps it changes is sent from the next attempt on, and is checked again then.
     */
    readonly config: InternalAxiosRequestConfig,
    readonly traits: AdapterTraits,
    clock: Clock,
    agents?: WithheldAgents,
    readonly style: ResultStyle = AXIOS_RESULT,
  ) {
    this.identity = identityOf(config);
    this.trace = new CallTrace(config);
    this.budget = new CallBudget(config, clock, () => this.trace.address && snapshotOfCall(this.trace));
    this.#agents = agents;
    const hasBody = isObject(config.data);
    this.formType = hasBody && traits.kind === 'http' ? fixedFormType(config) : undefined;
    this.releaseBody = hasBody ? holdBody(config.data) : undefined;
  }

  /** What errors, log lines and events are about: the pair, with the account of this call (B33). */
  subjectIn(pair: AnyPair): AnyPair {
    const account = this.identity?.account;
    const { provider, interface: name, environment } = pair;
    return account === undefined ? pair : { provider, interface: name, environment, account };
  }

  /**
   * Whether the caller or the process chose how the request is sent. Then a failure says nothing about the settings of the
   * module or about health.
   */
  get hasOwnConnection(): boolean {
    const { kind, managesConnections } = this.traits;
    if (this.#agents !== undefined || (kind !== 'http' && !managesConnections)) return true;
    return Boolean(this.config.proxy) || hasAny(this.config, OF_CONNECTION);
  }

  get hasAgents(): boolean {
    return this.#agents !== undefined;
  }

  /** The config may have got further agents since the last attempt. */
  takeAgents(): WithheldAgents | undefined {
    return (this.#agents = takeAgents(this.config, this.#agents));
  }
}

/** Undefined for the token of the pair. A value that this package has not made must not fall back to that token. */
function identityOf(config: object): TokenIdentity | undefined {
  const value: unknown = Object.hasOwn(config, IDENTITY) ? Reflect.get(config, IDENTITY) : undefined;
  if (value === undefined || TokenIdentity.isOne(value)) return value;
  throw new TypeError(`The member ${IDENTITY} of a config comes from for() only.`);
}
