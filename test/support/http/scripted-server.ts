import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';
import { completeRequest } from './complete-request.js';

/** Also after a length that is no number: the next bytes may belong to this request or to the next one. */
const ENDS_CONNECTION =
  /\r\n(?:connection: *close\r\n|content-length:(?! *\d)|transfer-encoding:(?! *chunked\r))/i;

/** A request that stays incomplete, because its headers announce more bytes than follow, is answered after this time. */
const INCOMPLETE_MS = 150;

/**
 * What the server does next with a connection: write bytes, wait for some milliseconds, end the connection, reset the
 * connection, wait until the client ends the connection, or report a moment to the caller.
 */
export type Step = Buffer | number | 'close' | 'reset' | 'hold' | 'in-body';

/** The answers to the requests of one call, and what the server received. */
export interface Script {
  /** For each request in turn. The last answer is repeated. */
  answer(request: string, index: number): readonly Step[];
  /** Each request, byte for byte, as latin1. */
  readonly received: string[];
  onMoment(moment: Moment): void;
}

/** A step `in-body` is reached, or the server begins or ends to wait until the client ends the connection. */
export type Moment = 'in-body' | 'held' | 'released';

/**
 * A TLS server without an HTTP library: it records the bytes of each request and writes exactly the bytes of a script. The
 * first segment of the path decides which script serves a request, so many calls can be under way at once.
 */
export class ScriptedServer {
  readonly #scripts = new Map<string, Script>();
  readonly #open = new Set<TLSSocket>();

  private constructor(
    readonly ca: string,
    private readonly server: Server,
  ) {
    server.on('tlsClientError', () => undefined);
    server.on('secureConnection', (socket) => {
      this.#open.add(socket.on('error', () => undefined).once('close', () => this.#open.delete(socket)));
      socket.setNoDelay(true);
      this.#read(socket);
    });
  }

  static async start(): Promise<ScriptedServer> {
    const { ca, cert, key } = await issueServerCertificate('trusted');
    const server = createServer({ cert, key });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return new ScriptedServer(ca, server);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** @param segment the first segment of the path. */
  serve(segment: string, script: Script): void {
    this.#scripts.set(segment, script);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  #read(socket: TLSSocket): void {
    let unread: Buffer = Buffer.alloc(0);
    let isAnswering = false;
    let patience: NodeJS.Timeout | undefined;
    const answer = (request: Buffer, isComplete: boolean): void => {
      isAnswering = true;
      unread = unread.subarray(request.length);
      void this.#answer(socket, request).then(() => {
        isAnswering = false;
        return isComplete ? proceed() : void socket.destroy();
      });
    };
    const proceed = (): void => {
      if (isAnswering || unread.length === 0) return;
      const request = completeRequest(unread);
      if (request !== undefined) answer(request, true);
      else patience = setTimeout(() => answer(unread, false), INCOMPLETE_MS);
    };
    socket.on('data', (bytes: Buffer) => {
      clearTimeout(patience);
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      proceed();
    });
    socket.once('close', () => clearTimeout(patience));
  }

  async #answer(socket: TLSSocket, bytes: Buffer): Promise<void> {
    const request = bytes.toString('latin1');
    const [, segment = ''] = /^\S+ \/([^/]*)\//.exec(request) ?? [];
    const script = this.#scripts.get(segment);
    if (script === undefined) return void socket.end('HTTP/1.1 500 No Script\r\nContent-Length: 0\r\n\r\n');
    const steps = script.answer(request, script.received.length);
    script.received.push(request);
    for (const step of steps) await this.#take(step, socket, script);
    if (ENDS_CONNECTION.test(request)) socket.end();
  }

  async #take(step: Step, socket: TLSSocket, script: Script): Promise<void> {
    if (typeof step === 'number') await pauseFor(step);
    else if (typeof step === 'object') socket.write(step);
    else if (step === 'in-body') script.onMoment('in-body');
    else if (step === 'close') socket.end();
    else if (step === 'reset') socket.destroy();
    else await this.#hold(socket, script);
  }

  async #hold(socket: TLSSocket, script: Script): Promise<void> {
    script.onMoment('held');
    if (!socket.destroyed) await new Promise((resolve) => socket.once('close', resolve));
    script.onMoment('released');
  }
}
