import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { type Agent } from 'node:https';
import type { Readable } from 'node:stream';
import { AxiosError, type AxiosResponse, CanceledError } from 'axios';
import type { DirectRequest, DirectResult, DirectSender } from '../../config/options/provider-transport.js';
import type { BaseAddress } from '../../net/base-address.js';
import { mayHaveEnvironmentProxy } from '../../net/environment-proxy.js';
import { type ReceivedBody, receivedFrom } from '../../net/received-body.js';
import { isPlainAgent, isPrivateAgent, privateAgentFor } from '../../net/private-agent.js';
import { contentOf, headersOf, settleResponse } from '../response/received-response.js';
import type { AdapterTraits } from './adapter-traits.js';
import { completeHeaders } from './added-headers.js';
import { acceptsAnyServer, leadsElsewhere, leavesNameUnchecked } from './connection.js';
import { decodedBody } from './decoded-body.js';

interface Settings {
  readonly base: BaseAddress;
  readonly agent: Agent;
  /** Of axios' http adapter. */
  readonly traits: AdapterTraits;
  /** Whether the application has switched off proxies. */
  readonly isDirect: boolean;
}

/**
 * Sends ordinary requests by `node:https` (B16). What the server gets and what the caller gets is as by axios' http adapter (B17),
 * whose own work is left out: see axios/lib/adapters/http.js.
 */
export function httpsSender({ base, agent, traits, isDirect }: Settings): DirectSender {
  const { hostname, port } = new URL(base.origin);
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return {
    givesCleanResponses: false,
    // axios looks for a proxy for each request, and reaches it.
    accepts: () => isSafe(agent, traits) && (isDirect || !mayHaveEnvironmentProxy(base.origin, process.env)),
    send(request, result) {
      new HttpsExchange(request, result).start(address, privateAgentFor(agent) as Agent);
    },
  };
}

/** Whether the checks of an `Attempt` allow the agent. An application may change its own agent at any time. */
function isSafe(agent: Agent, traits: AdapterTraits): boolean {
  if (isPrivateAgent(agent)) return true;
  if (!isPlainAgent(agent) || acceptsAnyServer({}, traits, agent)) return false;
  const settings = { httpsAgent: agent };
  return !leavesNameUnchecked(settings) && !leadsElsewhere(settings);
}

/** One request, and its response. */
class HttpsExchange {
  readonly #sent: DirectRequest;
  readonly #result: DirectResult;
  #request: ClientRequest | undefined;
  #body: Readable | undefined;
  /** The body of a streamed result. The caller has got the result then. */
  #received: ReceivedBody | undefined;
  #isOver = false;

  constructor(sent: DirectRequest, result: DirectResult) {
    this.#sent = sent;
    this.#result = result;
  }

  start({ hostname, port }: { readonly hostname: string; readonly port: string }, agent: Agent): void {
    const { method, path, body, cancellation } = this.#sent;
    // By the module object, and not by an import of the function: mocks and instrumentation replace the member.
    const request = https.request({
      hostname,
      port,
      protocol: 'https:',
      agent,
      method,
      path,
      headers: this.#headers(),
      insecureHTTPParser: false,
      // As axios does: the agent has a time limit for idle sockets only.
      timeout: 0,
    });
    this.#request = request;
    request.on('response', (response: IncomingMessage) => this.#respond(response, request));
    request.on('error', (error) => this.#fail(this.#wrapped(error)));
    cancellation.subscribe(this.#cancel);
    if (this.#isOver) return;
    if (body === null) request.end();
    else request.end(body);
  }

  #headers(): Record<string, string> {
    const { headers: list, body, config } = this.#sent;
    completeHeaders(list, config, body?.length);
    const headers: Record<string, string> = {};
    for (let index = 0; index < list.length; index += 2)
      headers[list[index] as string] = list[index + 1] as string;
    return headers;
  }

  #respond(message: IncomingMessage, request: ClientRequest): void {
    if (this.#isOver) return;
    const { method, config } = this.#sent;
    const { statusCode = 0, statusMessage = '' } = message;
    const isEncoded = config.decompress !== false && Boolean(message.headers['content-encoding']);
    const body = isEncoded ? decodedBody(message, method) : message;
    this.#body = body;
    const response: AxiosResponse = {
      status: statusCode,
      statusText: statusMessage,
      headers: headersOf(message.headers),
      config,
      request,
      data: undefined,
    };
    if (config.responseType === 'stream') return this.#handOver(body, response);
    const chunks: Buffer[] = [];
    let length = 0;
    const { maxContentLength = -1 } = config;
    body.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (maxContentLength > -1 && length > maxContentLength)
        this.#endEarly(this.#error(`maxContentLength size of ${maxContentLength} exceeded`));
    });
    body.on('aborted', () => this.#fail(this.#error('stream has been aborted', response)));
    body.on('error', (error) => this.#fail(this.#wrapped(error, response)));
    body.on('end', () => {
      if (this.#isOver) return;
      this.#finish();
      try {
        response.data = contentOf(chunks, config);
      } catch (error) {
        return this.#result.reject(this.#wrapped(error, response));
      }
      settleResponse(response, this.#result);
    });
  }

  /** The caller reads the body while it arrives. */
  #handOver(body: Readable, response: AxiosResponse): void {
    this.#received = receivedFrom(body, (isComplete) => {
      this.#finish();
      // A decoder may end before the response. Its connection would then stay in use for ever.
      body.destroy();
      if (!isComplete) this.#request?.destroy();
    });
    response.data = this.#received;
    settleResponse(response, this.#result);
  }

  /** The call has ended. Its caller gets another error, or has got it. */
  readonly #cancel = (): void => {
    this.#endEarly(new CanceledError(undefined, this.#sent.config, this.#request));
  };

  #endEarly(error: Error): void {
    if (this.#isOver) return;
    if (this.#received) return this.#received.destroy(error);
    this.#fail(error);
    this.#body?.destroy();
    // With the error, as axios does: instrumentation reports it.
    this.#request?.destroy(error);
  }

  #fail(error: Error): void {
    // A streamed body reports itself that it was cut short.
    if (this.#isOver || this.#received) return;
    this.#finish();
    this.#result.reject(error);
  }

  #finish(): void {
    this.#isOver = true;
    this.#sent.cancellation.unsubscribe(this.#cancel);
  }

  #error(message: string, response?: AxiosResponse): AxiosError {
    return new AxiosError(message, AxiosError.ERR_BAD_RESPONSE, this.#sent.config, this.#request, response);
  }

  #wrapped(error: unknown, response?: AxiosResponse): AxiosError {
    return AxiosError.from(error, undefined, this.#sent.config, this.#request, response);
  }
}
