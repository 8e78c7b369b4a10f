import { AsyncResource } from 'node:async_hooks';
import type { ClientRequest, IncomingMessage } from 'node:http';
import https, { type Agent } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AxiosError } from 'axios';
import { errorCode } from '../errors/error-code.js';
import type { Agents } from '../net/agents.js';
import { socketHost } from '../net/parsed-url.js';
import { withoutInherited } from '../values/objects.js';
import { answeredByProxy } from '../net/proxy.js';
import { AnswerReader, type AnswerSource, headersOf } from './answer-reader.js';
import { type OnOutcome, type Outgoing, snapshotOf, type Source } from './outgoing.js';
import { cutShortError } from './received-body.js';
import { bodyFailure, isSentAtOnce, uploadOf } from './upload.js';

/** Sends requests by `node:https`. */
export class HttpsSource implements Source {
  constructor(private readonly agents: Agents) {}

  send(outgoing: Outgoing, end: OnOutcome): void {
    const { url, config, isUnderBase } = outgoing;
    let agent: Agent;
    try {
      agent = this.agents.agentFor(url, config, isUnderBase);
    } catch (error) {
      // Of a proxy that cannot be used. As any other failure, it gets advice as an error of axios.
      end({ error: AxiosError.from(error, undefined, config, snapshotOf(outgoing)) });
      return;
    }
    sendByHttps(outgoing, end, agent);
  }

  /** Does not wait: a call without a time limit may last for ever. */
  async close(callsEnded: Promise<void>): Promise<void> {
    this.agents.retire();
    // The last calls may have opened connections after that.
    void callsEnded.then(() => this.agents.retire());
  }
}

/** @param watch is called with the request before it is sent. */
export function sendByHttps(
  outgoing: Outgoing,
  end: OnOutcome,
  agent: Agent,
  watch?: (request: ClientRequest) => void,
): void {
  new HttpsExchange(outgoing, end, agent).start(watch);
}

/** The server has closed the connection. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['EPIPE', 'ECONNRESET']);

const PROBE_MS = 60_000;
const prepared = new WeakSet<object>();

/**
 * As axios does: the system asks a silent server every minute whether it is still there. And an error of a connection must not end
 * the process: if a server answers and resets the connection before it has read the request, Node frees the socket first.
 */
function prepareConnection(socket: Duplex & Partial<Pick<Socket, 'setKeepAlive'>>): void {
  if (prepared.has(socket)) return;
  prepared.add(socket);
  // The agent of an application, or a mock library, may give any stream.
  socket.setKeepAlive?.(true, PROBE_MS);
  socket.on('error', () => undefined);
}

/** Sends one request, and brings its answer. No object that a caller gets leads here. */
class HttpsExchange implements AnswerSource {
  readonly #sent: Outgoing;
  readonly #reader: AnswerReader;
  readonly #request: ClientRequest;
  #message: IncomingMessage | undefined;
  #shown: object | undefined;

  constructor(sent: Outgoing, end: OnOutcome, agent: Agent) {
    this.#sent = sent;
    this.#reader = new AnswerReader(sent, end, this);
    const { method, path, url } = sent;
    // By the module object, and not by an import of the function: mocks and instrumentation replace the member.
    this.#request = https.request(
      withoutInherited({
        protocol: 'https:',
        hostname: socketHost(url),
        port: url.port,
        agent,
        method,
        path,
        headers: this.#headers(),
        insecureHTTPParser: false,
        // The agent has a time limit for idle sockets only.
        timeout: 0,
      }),
    );
  }

  get shown(): object {
    return (this.#shown ??= snapshotOf(this.#sent, this.#message?.statusCode));
  }

  start(watch?: (request: ClientRequest) => void): void {
    const request = this.#request;
    watch?.(request);
    request.once('socket', prepareConnection);
    request.on('response', (message: IncomingMessage) => this.#bring(message));
    request.on('error', (error) => this.#failed(error));
    // Node ends a connection without an error if the answer is 101.
    request.on('close', () => this.#message ?? this.#failed(cutShortError()));
    this.#reader.watchCall();
    if (this.#reader.isOver) return;
    if (isSentAtOnce(this.#sent)) request.end(this.#sent.body);
    else void this.#pump(request);
  }

  resume(): void {
    this.#message?.resume();
  }

  /** With the error: instrumentation reports it. */
  abort(error?: Error): void {
    this.#message?.destroy();
    this.#request.destroy(error);
  }

  #headers(): Record<string, string | string[]> {
    const { headers: list } = this.#sent;
    // Without a prototype, which could have a header. V8 makes a slower object of `Object.create(null)`.
    const headers = Object.setPrototypeOf({}, null) as Record<string, string | string[]>;
    for (let index = 0; index < list.length; index += 2) {
      const name = list[index] as string;
      const value = list[index + 1] as string;
      const before = headers[name];
      headers[name] = before === undefined ? value : [before, value].flat();
    }
    return headers;
  }

  /**
   * Written by hand: a pipe would show the request to the owner of the stream. The caller's code runs in the async context of its
   * call, in which this method began.
   */
  async #pump(request: ClientRequest): Promise<void> {
    const upload = uploadOf(this.#sent);
    let hasEnded = false;
    const cancel = AsyncResource.bind(() => {
      if (!hasEnded) upload.cancel();
      hasEnded = true;
    });
    request.once('close', cancel);
    try {
      for (;;) {
        const chunk = await upload.next();
        if (request.destroyed) return;
        if (chunk === undefined) {
          hasEnded = true;
          return void request.end();
        }
        // If the request closes meanwhile, nothing goes on here.
        if (!request.write(chunk)) await new Promise((resolve) => request.once('drain', resolve));
      }
    } catch (error) {
      if (request.destroyed) return;
      cancel();
      this.#reader.failed(bodyFailure(error, this.#sent.config, this.shown), true);
      request.destroy();
    }
  }

  #failed(error: Error): void {
    const message = this.#message;
    // The error of a streamed answer arrives with its message.
    if (this.#reader.isStreaming) return;
    // An answer that came before the end of the upload is the result, also if the server then closes the connection.
    const isResult = message && (message.complete || !this.#request.writableFinished);
    if (isResult && CLOSED.has(errorCode(error))) return;
    // Node keeps the bytes of the server here, which may repeat the token.
    Reflect.deleteProperty(error, 'rawPacket');
    this.#reader.failed(AxiosError.from(error, undefined, this.#sent.config, this.shown));
  }

  #bring(message: IncomingMessage): void {
    const reader = this.#reader;
    if (reader.isOver) return;
    const { statusCode = 0, statusMessage = '', headers, socket } = message;
    if (!usesTls(socket)) {
      this.#failed(answeredByProxy(statusCode));
      return this.abort();
    }
    this.#message = message;
    this.#shown = undefined;
    reader.head(statusCode, statusMessage, headersOf(headers));
    message.on('data', (chunk: Buffer) => {
      if (!reader.data(chunk)) message.pause();
    });
    message.on('end', () => {
      reader.arrived();
      // The server does not read the rest of the upload. After the end of an answer, Node would keep the connection for ever.
      if (!this.#request.writableEnded) this.#request.destroy();
    });
    // Also the error with which the exchange was ended arrives here.
    message.on('error', (error) => reader.cutShort(error));
  }
}

/**
 * All our requests use TLS, so an answer over another socket is of a proxy. An agent of https-proxy-agent replays the answer of a
 * proxy that refuses a tunnel as the answer of the server, by design (hackerone.com/reports/541502). Any machine on the way to the
 * proxy could have written that answer.
 */
function usesTls(socket: Socket): boolean {
  // The message of a mock library may have no real socket.
  return !(socket instanceof Socket) || Reflect.get(socket, 'encrypted') === true;
}
