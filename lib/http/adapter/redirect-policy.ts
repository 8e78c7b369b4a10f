import { isIPv6 } from 'node:net';
import type { AxiosRequestConfig, InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../../catalogue/wire.js';
import type { AnyPair } from '../../catalogue/catalogue.js';
import { type RefusalReason, RequestRefusedError } from '../../errors/request-refused.error.js';
import type { BaseAddress } from '../../net/base-address.js';
import { agentLeadsElsewhere, replacesNameCheck } from '../../net/certificate-checks.js';
import { privateAgentFor } from '../../net/private-agent.js';
import { isObject } from '../../values/is-object.js';
import { isAuthorization } from '../redaction/clean-request.js';
import { agentOfHop, hopAcceptsAnyServer, namesAnotherHost } from './connection.js';

type BeforeRedirect = NonNullable<AxiosRequestConfig['beforeRedirect']>;
type HopOptions = Parameters<BeforeRedirect>[0];
type Headers = Record<string, unknown>;

/** Members that a hook does not get: an agent leads to every open request, the others lead back to this policy. */
const INTERNAL_OPTIONS = ['agent', 'agents', 'beforeRedirect', 'beforeRedirects', 'nativeProtocols'];

/** Members with which a hook may lead a connection elsewhere, without a change of the address. */
const TARGET_MEMBERS = ['socketPath', 'createConnection', 'servername', 'defaultPort'];

const PLAIN_NAME = /^[\w.-]+$/;

/**
 * Decides for each hop whether it is followed, and whether it gets the token. A hop under the base URL gets the token. A hop
 * to another https address does not, and no hop after it. A hop to `http:`, or with an unchecked certificate, is refused (S9).
 * With the `tls` settings of the pair, each hop outside of the base URL is refused: it would use the client certificate too. The
 * caller's hook gets copies that never held the token.
 */
export class RedirectPolicy {
  refusal: RequestRefusedError | undefined;
  /** Whether the last request carried the token. Only then a 401 says something about the token. */
  carriesToken: boolean;
  /** Whether the server has answered with a redirect, followed or refused. */
  isRedirected = false;
  /** Whether a hop has another method, as after a POST: the server may have carried the POST out (RFC 9110, 15.4.4). */
  changedMethod = false;

  constructor(
    private readonly base: BaseAddress,
    private readonly pair: AnyPair,
    readonly authorization: string | undefined,
    private readonly callersHook: BeforeRedirect | undefined,
    private readonly showsCertificate = false,
  ) {
    this.carriesToken = authorization !== undefined;
  }

  readonly beforeRedirect: BeforeRedirect = (options, responseDetails, requestDetails) => {
    this.isRedirected = true;
    const wasChanged = options['method'] !== requestDetails.method;
    if (this.authorization !== undefined)
      options['headers'] = this.withoutToken(options['headers'] as Headers);
    if (this.callersHook) {
      const copy: HopOptions = { ...options, headers: { ...(options['headers'] as Headers) } };
      for (const name of INTERNAL_OPTIONS) delete copy[name];
      const headers = this.withoutToken(requestDetails.headers) as typeof requestDetails.headers;
      this.callersHook(copy, responseDetails, { ...requestDetails, headers });
      Object.assign(options, copy);
    }
    // The server may have carried the POST out, even if the hook restores the method.
    this.changedMethod ||= wasChanged || options['method'] !== requestDetails.method;
    if (options['protocol'] !== 'https:') throw this.refuse();
    if (hopAcceptsAnyServer(options)) throw this.refuse('any-server');
    const agent = agentOfHop(options);
    if (replacesNameCheck(agent) || options['checkServerIdentity'] !== undefined)
      throw this.refuse('unchecked-name');
    const isUnderBase = !agentLeadsElsewhere(agent) && this.isUnderBase(options);
    if (this.showsCertificate && !isUnderBase) throw this.refuse('redirect-with-certificate');
    keepAgentPrivate(options, agent);
    if (this.authorization === undefined) return;
    const headers = options['headers'] as Headers;
    const hookSetCredentials = Boolean(options['auth']) || Object.keys(headers).some(isAuthorization);
    // As with `fetch`, the token does not come back: another host may have chosen the address of this hop.
    this.carriesToken &&= !hookSetCredentials && isUnderBase;
    // Another copy, because the hook may still hold these headers.
    if (this.carriesToken) options['headers'] = { ...headers, [AUTHORIZATION_HEADER]: this.authorization };
  };

  private refuse(why?: RefusalReason): RequestRefusedError {
    return (this.refusal = new RequestRefusedError('INSECURE_REDIRECT', this.pair, why));
  }

  private isUnderBase(options: HopOptions): boolean {
    if (TARGET_MEMBERS.some((name) => options[name] !== undefined)) return false;
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

/** A hook may keep the agent that it set. That agent must not lead to the hop. */
function keepAgentPrivate(options: HopOptions, agent: unknown): void {
  if (!isObject(agent)) return;
  const own = privateAgentFor(agent);
  if (own !== agent) Object.assign(options, { agent: own, agents: { https: own } });
}

/** Undefined if the parts do not make one address: for example a name with an `@`, or a path without a slash. */
function targetOf(options: HopOptions): URL | undefined {
  const name = String(options['hostname'] || options['host'] || '');
  const port = String(options['port'] ?? '');
  const path = String(options['path']);
  const host = isIPv6(name) ? `[${name}]` : name;
  if (!(isIPv6(name) || PLAIN_NAME.test(name)) || !/^\d*$/.test(port) || !path.startsWith('/'))
    return undefined;
  return new URL(`https://${host}${port && `:${port}`}${path}`);
}
