import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect, promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ProviderHttpClient } from '../../../lib/http/provider-http-client.js';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { clientOn } from './loopback-client.js';
import { WireServer } from './wire-server.js';

const compress = promisify(gzip);

/** How the body ends. With `close` the end of the connection ends it, and with `reset` it is not complete. */
const ENDINGS = ['length', 'chunked', 'close', 'reset'] as const;

/** When the caller reads a body. */
const READINGS = ['at once', 'late', 'in part', 'never'] as const;

/** How the caller gets a body. */
const FORMS = ['fetch', 'stream', 'text'] as const;

interface Case {
  readonly size: number;
  readonly isGzip: boolean;
  readonly ending: (typeof ENDINGS)[number];
  readonly reading: (typeof READINGS)[number];
  readonly form: (typeof FORMS)[number];
}

/** The time until undici has noticed that a connection has ended. No event that a caller sees shows it. */
const UNTIL_THE_END_IS_NOTICED_MS = 300;

/**
 * Calls a server that ends each connection with its response, and reads the bodies in every way. Returns the cases with a wrong
 * result. An error that no code can catch ends the process (nodejs/undici#5360).
 */
export async function troubleWithClosingAnswers(sizes: readonly number[]): Promise<string[]> {
  const bodies = new Map<string, Buffer>();
  for (const size of sizes) {
    const body = randomBytes(size);
    bodies.set(`${size} false`, body).set(`${size} true`, await compress(body));
  }
  const server = await WireServer.start();
  server.handler = (request, response) => {
    const { size, isGzip, ending } = JSON.parse(decodeURIComponent((request.url ?? '').slice(2))) as Case;
    answer(response, ending, isGzip, bodies.get(`${size} ${isGzip}`) ?? Buffer.alloc(0));
    // The head and the bytes arrive first, and the caller gets a body.
    if (ending === 'reset') setTimeout(() => server.reset(request), UNTIL_THE_END_IS_NOTICED_MS / 3);
  };
  const client = clientOn(server.url, { transport: undiciTransport() }, new ClientTls({ ca: server.ca }));
  const trouble: string[] = [];
  for (const size of sizes) {
    const wrong = casesOf(size).map(async (one) => {
      const problem = await problemOf(client, one, bodies.get(`${size} false`) ?? Buffer.alloc(0));
      return problem === undefined ? [] : [`${JSON.stringify(one)}: ${inspect(problem)}`];
    });
    trouble.push(...(await Promise.all(wrong)).flat());
  }
  await server.close();
  await client.close();
  return trouble;
}

function casesOf(size: number): Case[] {
  const all = FORMS.flatMap((form) =>
    READINGS.flatMap((reading) =>
      ENDINGS.flatMap((ending) => [true, false].map((isGzip) => ({ size, isGzip, ending, reading, form }))),
    ),
  );
  // A text is read at once.
  return all.filter(({ form, reading }) => form !== 'text' || reading === 'at once');
}

function answer(response: ServerResponse, ending: Case['ending'], isGzip: boolean, body: Buffer): void {
  response.shouldKeepAlive = false;
  if (isGzip) response.setHeader('Content-Encoding', 'gzip');
  if (ending === 'length') response.setHeader('Content-Length', body.length);
  if (ending === 'reset') response.setHeader('Content-Length', body.length + 1);
  if (ending === 'close') response.removeHeader('Transfer-Encoding');
  response.write(body);
  if (ending !== 'reset') response.end();
}

/** Undefined if the caller got what the server sent, or the error of a body that was cut. */
async function problemOf(client: ProviderHttpClient, one: Case, sent: Buffer): Promise<unknown> {
  const problem = await read(client, one, sent).catch((error: unknown) => error);
  if (one.ending !== 'reset') return problem;
  const isReadWhole = one.reading === 'at once' || one.reading === 'late';
  return isReadWhole && !(problem instanceof Error) ? 'a body that was cut has no error' : undefined;
}

async function read(client: ProviderHttpClient, one: Case, sent: Buffer) {
  const url = `/?${encodeURIComponent(JSON.stringify(one))}`;
  const body = await bodyOf(client, url, one);
  if (one.reading !== 'at once') await pause(UNTIL_THE_END_IS_NOTICED_MS);
  if (one.reading === 'never') {
    // Without this, the body would keep its connection, and the client could not close.
    body.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    if (one.reading === 'in part') return undefined;
  }
  const received = Buffer.concat(chunks);
  return received.equals(sent) ? undefined : `${received.length} bytes of ${sent.length}`;
}

async function bodyOf({ axios, fetch }: ProviderHttpClient, url: string, { form }: Case): Promise<Readable> {
  if (form === 'stream') return (await axios.get<Readable>(url, { responseType: 'stream' })).data;
  if (form === 'text') {
    const { data } = await axios.get<string>(url, { responseEncoding: 'latin1', transformResponse: [] });
    return Readable.from([Buffer.from(data, 'latin1')]);
  }
  const { body } = await fetch(url);
  return Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
}
