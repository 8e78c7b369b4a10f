import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { issueServerCertificate } from '../../../lib/testing/simulator/certificate-authority.js';

/** Types of frames (RFC 9113, section 6). */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

export const END_STREAM = 1;
export const END_HEADERS = 4;
const ACK = 1;

const PREFACE_LENGTH = 24;
const HEAD_LENGTH = 9;

/** One frame, right or wrong. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(HEAD_LENGTH);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** The number of a frame such as RST_STREAM, or the two numbers of GOAWAY. */
export function numbers(...values: readonly number[]): Buffer {
  const payload = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) payload.writeUInt32BE(value, 4 * index);
  return payload;
}

/** A block of headers without compression (RFC 7541, section 6.2.2). */
export function block(headers: Readonly<Record<string, string>>): Buffer {
  const texts = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.from([0]), text(name), text(value)]),
  );
  return Buffer.concat(texts);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) length.push((rest % 128) | 128);
  return Buffer.concat([Buffer.from([...length, rest]), bytes]);
}

/** The request of a client that spoke HTTP/2. */
export interface FramedRequest {
  readonly stream: number;
  readonly socket: TLSSocket;
  readonly write: (...frames: readonly Buffer[]) => void;
}

/** A server that speaks HTTP/2 frame by frame, so that it can break every rule. */
export class FrameServer {
  /** Answers the requests. */
  script: (request: FramedRequest) => void = ({ stream, write }) => write(...okay(stream));
  readonly #open = new Set<TLSSocket>();

  private constructor(
    readonly ca: string,
    private readonly server: Server,
  ) {
    server.on('secureConnection', (socket: TLSSocket) => this.#serve(socket));
    server.on('tlsClientError', () => undefined);
  }

  static async start(): Promise<FrameServer> {
    const { ca, cert, key } = await issueServerCertificate('trusted');
    const server = createServer({ cert, key, ALPNProtocols: ['h2'] });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new FrameServer(ca, server);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get openConnections(): number {
    return this.#open.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #serve(socket: TLSSocket): void {
    this.#open.add(socket.on('error', () => undefined).on('close', () => this.#open.delete(socket)));
    const write = (...frames: readonly Buffer[]): void => void socket.write(Buffer.concat(frames));
    let bytes: Buffer = Buffer.alloc(0);
    let skipped = 0;
    write(frame(FRAME.SETTINGS, 0, 0));
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const preface = Math.min(bytes.length, PREFACE_LENGTH - skipped);
      skipped += preface;
      bytes = bytes.subarray(preface);
      while (bytes.length >= HEAD_LENGTH) {
        const end = HEAD_LENGTH + bytes.readUIntBE(0, 3);
        if (bytes.length < end) return;
        const [type, flags = 0, stream] = [bytes[3], bytes[4], bytes.readUInt32BE(5)];
        if (type === FRAME.SETTINGS && (flags & ACK) === 0) write(frame(FRAME.SETTINGS, ACK, 0));
        if (type === FRAME.HEADERS) this.script({ stream, socket, write });
        bytes = bytes.subarray(end);
      }
    });
  }
}

/** A whole response. */
export function okay(stream: number): Buffer[] {
  return [head(stream), data(stream, 'ok', END_STREAM)];
}

export function head(stream: number, headers: Readonly<Record<string, string>> = {}, flags = 0): Buffer {
  return frame(FRAME.HEADERS, END_HEADERS | flags, stream, block({ ':status': '200', ...headers }));
}

export function data(stream: number, body: string | Buffer, flags = 0): Buffer {
  return frame(FRAME.DATA, flags, stream, typeof body === 'string' ? Buffer.from(body) : body);
}
