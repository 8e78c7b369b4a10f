import { isIPv6 } from 'node:net';
import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import {
  type Explanation,
  RequestRefusedError,
  UNCHECKED_CERTIFICATE,
  UNCHECKED_NAME,
} from '../../errors/request-refused.error.js';
import { isAuthorization } from '../authorization-header.js';
import { type Connecting, leadsElsewhere, leavesNameUnchecked } from './connection-settings.js';
import type { BaseAddress } from '../../net/base-address.js';
import { namesAnotherHost } from '../own-credentials.js';
import { privateAgentFor } from '../../net/private-agent.js';
import { hopsToWhoeverAnswers } from './unchecked-connection.js';

type BeforeRedirect = NonNullable<AxiosRequestConfig['beforeRedirect']>;
type HopOptions = Parameters<BeforeRedirect>[0];
type Headers = Record<string, unknown>;

/** What a hook has no business with: agents lead to every request under way, the rest back to this policy. */
const INTERNAL_OPTIONS = ['agent', 'agents', 'beforeRedirect', 'beforeRedirects', 'nativeProtocols'];

/** What a hook may set to lead a connection elsewhere, whatever its address says. */
const STEERING = ['socketPath', 'createConnection', 'servername', 'defaultPort'];

const PLAIN_NAME = /^[\w.-]+$/;

/**
 * Decides hop by hop where redirects may lead and which hop sees the token: those under the base URL do, other https
 * addresses do not; http, and a hop whose certificate a hook leaves unchecked, are refused (S9). The caller's hook works
 * on copies that never held the token.
 */
export class RedirectPolicy {
  /** Why the last hop was not made. */
  refusal: RequestRefusedError | undefined;
  /** Whether the last request that was made carried the token: only its 401 says something about the token. */
  carriesToken: boolean;

  constructor(
    private readonly base: BaseAddress,
    private readonly pair: ProviderPair,
    readonly authorization: string | undefined,
    private readonly callersHook: BeforeRedirect | undefined,
  ) {
    this.carriesToken = authorization !== undefined;
  }

  readonly beforeRedirect: BeforeRedirect = (options, responseDetails, requestDetails) => {
    if (this.authorization !== undefined)
      options['headers'] = this.withoutToken(options['headers'] as Headers);
    if (this.callersHook) {
      const copy: HopOptions = { ...options, headers: { ...(options['headers'] as Headers) } };
      for (const name of INTERNAL_OPTIONS) delete copy[name];
      const headers = this.withoutToken(requestDetails.headers) as typeof requestDetails.headers;
      this.callersHook(copy, responseDetails, { ...requestDetails, headers });
      Object.assign(options, copy);
    }
    if (options['protocol'] !== 'https:') throw this.refuse();
    if (hopsToWhoeverAnswers(options)) throw this.refuse(UNCHECKED_CERTIFICATE);
    const connecting = connectionOf(options);
    if (leavesNameUnchecked(connecting) || options['checkServerIdentity'] !== undefined)
      throw this.refuse(UNCHECKED_NAME);
    keepAgentPrivate(options, connecting.httpsAgent);
    if (this.authorization === undefined) return;
    const headers = options['headers'] as Headers;
    const hookBroughtItsOwn = Boolean(options['auth']) || Object.keys(headers).some(isAuthorization);
    this.carriesToken = !hookBroughtItsOwn && !leadsElsewhere(connecting) && this.isUnderBase(options);
    // A copy once more: the hook may still hold these.
    if (this.carriesToken) options['headers'] = { ...headers, [AUTHORIZATION_HEADER]: this.authorization };
  };

  private refuse(why?: Explanation): RequestRefusedError {
    return (this.refusal = new RequestRefusedError('INSECURE_REDIRECT', this.pair, why));
  }

  /** By where the hop really goes, after what a hook has done to it. */
  private isUnderBase(options: HopOptions): boolean {
    if (STEERING.some((name) => options[name] !== undefined)) return false;
    const headers = options['headers'] as InternalAxiosRequestConfig['headers'];
    if (namesAnotherHost({ headers }, this.base.host)) return false;
    const target = targetOf(options);
    return target !== undefined && this.base.covers(target);
  }

  private withoutToken(headers: Headers): Headers {
    return Object.fromEntries(
      Object.entries(headers).filter(
        ([name, value]) => !isAuthorization(name) && value !== this.authorization,
      ),
    );
  }
}

/** The agent that makes the hop: axios puts it into `agents`, where follow-redirects looks first. */
function connectionOf({ agent, agents }: HopOptions): Connecting {
  const chosen: unknown =
    typeof agents === 'object' && agents !== null ? Reflect.get(agents, 'https') : undefined;
  return { httpsAgent: chosen ?? agent };
}

/** An agent that a hook brought must not lead to the hop. */
function keepAgentPrivate(options: HopOptions, agent: unknown): void {
  if (typeof agent !== 'object' || agent === null) return;
  const own = privateAgentFor(agent);
  if (own !== agent) Object.assign(options, { agent: own, agents: { https: own } });
}

/** Undefined where the parts do not make one address: a name with an `@` in it, or a path that belongs to the name. */
function targetOf(options: HopOptions): URL | undefined {
  const name = String(options['hostname'] || options['host'] || '');
  const port = String(options['port'] ?? '');
  const path = String(options['path']);
  const host = isIPv6(name) ? `[${name}]` : name;
  if (!(isIPv6(name) || PLAIN_NAME.test(name)) || !/^\d*$/.test(port) || !path.startsWith('/'))
    return undefined;
  return new URL(`https://${host}${port && `:${port}`}${path}`);
}
