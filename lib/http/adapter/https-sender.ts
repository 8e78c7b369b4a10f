import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { type Agent } from 'node:https';
import { AxiosError } from 'axios';
import type { BaseAddress } from '../../net/base-address.js';
import { mayHaveEnvironmentProxy } from '../../net/proxy.js';
import type { MadeOfTls } from '../../net/made-of-tls.js';
import { isPlainAgent, isPrivateAgent, privateAgentFor } from '../../net/private-agent.js';
import { AnswerReader, type AnswerSource, headersOf } from '../../wire/answer-reader.js';
import {
  type DirectSender,
  completeHeaders,
  type ResultSink,
  type WireRequest,
} from '../../wire/wire-request.js';
import type { AdapterTraits } from './adapter-traits.js';
import { connectionFlaw } from './connection.js';

interface SenderSettings {
  readonly base: BaseAddress;
  readonly agents: Pick<MadeOfTls<Agent>, 'current'>;
  readonly traits: AdapterTraits;
  readonly withoutProxy: boolean;
}

/** Sends direct requests by `node:https` (B16). */
export function httpsSender({ base, agents, traits, withoutProxy }: SenderSettings): DirectSender {
  const { hostname, port } = new URL(base.origin);
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return {
    givesCleanResponses: false,
    // axios looks for a proxy for each request, and reaches it.
    accepts: () =>
      isSafe(agents.current, traits) && (withoutProxy || !mayHaveEnvironmentProxy(base.origin, process.env)),
    send(request, result) {
      new HttpsExchange(request, result).start(address, privateAgentFor(agents.current) as Agent);
    },
  };
}

/** Whether an `AdapterPlan` would allow the agent. An application may change its own agent at any time. */
function isSafe(agent: Agent, traits: AdapterTraits): boolean {
  return isPrivateAgent(agent) || (isPlainAgent(agent) && connectionFlaw({}, traits, agent) === undefined);
}

/**
 * Sends one request by `node:https`, and brings its answer (B16). The server and the caller get the same as by axios' http
 * adapter (B17), see axios/lib/adapters/http.js.
 */
export class HttpsExchange implements AnswerSource {
  readonly #sent: WireRequest;
  readonly #reader: AnswerReader;
  #request: ClientRequest | undefined;
  #message: IncomingMessage | undefined;

  constructor(sent: WireRequest, result: ResultSink) {
    this.#sent = sent;
    this.#reader = new AnswerReader(sent, result, this);
  }

  get shown(): ClientRequest | undefined {
    return this.#request;
  }

  start({ hostname, port }: Pick<URL, 'hostname' | 'port'>, agent: Agent): void {
    const { method, path, body, config } = this.#sent;
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
    request.on('response', (message: IncomingMessage) => this.#bring(message));
    request.on('error', (error) => {
      // The event `aborted` ends a streamed body.
      if (!this.#reader.isStreaming) this.#reader.failed(AxiosError.from(error, undefined, config, request));
    });
    this.#reader.watchCall();
    if (this.#reader.isOver) return;
    if (body === null) request.end();
    else request.end(body);
  }

  resume(): void {
    this.#message?.resume();
  }

  /** With the error, as axios does: instrumentation reports it. */
  abort(error?: Error): void {
    this.#message?.destroy();
    this.#request?.destroy(error);
  }

  #headers(): Record<string, string> {
    const { headers: list, body, config } = this.#sent;
    completeHeaders(list, config, body?.length);
    const headers: Record<string, string> = {};
    for (let index = 0; index < list.length; index += 2)
      headers[list[index] as string] = list[index + 1] as string;
    return headers;
  }

  #bring(message: IncomingMessage): void {
    const reader = this.#reader;
    if (reader.isOver) return;
    this.#message = message;
    const { statusCode = 0, statusMessage = '', headers } = message;
    reader.head(statusCode, statusMessage, headersOf(headers));
    message.on('data', (chunk: Buffer) => {
      if (!reader.data(chunk)) message.pause();
    });
    message.on('end', () => reader.arrived());
    // Also the error with which the exchange was ended arrives here.
    message.on('error', (error) => reader.cutShort(error));
  }
}
