import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { safely } from '../../values/safely.js';
import { CannotRun } from '../environment.js';
import { FAULTS } from './faults.js';
import type { LiveUpdates } from './live-updates.js';
import { ChainError, describeVerbs, type Target, TARGETS } from './verbs.js';

const LOOPBACK = '127.0.0.1';

/** No inline code, nothing from other origins, and no other page may show this one in a frame. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; " +
    "form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export const PAGE_FILES: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
};

/** The files of the page, by their names. Read at the start, so that the simulator later reads no file. */
export async function readPage(folder: string) {
  const page = new Map<string, { readonly type: string; readonly content: Buffer }>();
  for (const [name, type] of Object.entries(PAGE_FILES)) {
    const content = await readFile(join(folder, name)).catch(() => {
      throw new CannotRun(
        `The file ${name} of the page is missing. Reinstall the package, or use --no-page.`,
      );
    });
    page.set(name, { type, content });
  }
  return page;
}

const TEST_CALL = 'test-call';

export interface ControlParts {
  readonly run: (target: Target, chain: unknown, by: 'control' | 'page') => unknown;
  readonly updates: LiveUpdates;
  readonly testCall: () => Promise<number | string>;
  /** This port, if it is free. Otherwise any port. */
  readonly port: number;
  readonly key: string;
  readonly page?: Awaited<ReturnType<typeof readPage>> | undefined;
}

/**
 * Starts the control address and the page, over HTTP on loopback. Another web page in the developer's browser must not reach
 * them: foreign `Host` and `Origin` headers are refused, and the path holds a random key.
 */
export async function startControlServer(parts: ControlParts) {
  let hosts: readonly string[] = [];
  const server = createServer((request, response) => {
    if (!isOwn(request.headers, hosts))
      return sendJson(response, 403, { error: 'Only this machine may use this address.' });
    // Only a request that breaks off ends so.
    answer(parts, request, response).catch(() => response.destroy());
  });
  await listen(server, parts.port).catch(() => listen(server, 0));
  const { port } = server.address() as AddressInfo;
  hosts = [`${LOOPBACK}:${port}`, `localhost:${port}`];
  const address = `http://${LOOPBACK}:${port}/${parts.key}`;
  const close = async (): Promise<void> => {
    parts.updates.end();
    const closed = once(server, 'close');
    server.close();
    // An event stream has just been ended. Its last bytes still have to leave.
    setTimeout(() => server.closeAllConnections(), 500).unref();
    await closed;
  };
  return { address, page: parts.page && `${address}/`, close };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ port, host: LOOPBACK });
  await once(server, 'listening');
}

/** Browsers send the last two. A page of another origin, and a link on such a page, is refused. */
function isOwn(
  { host = '', origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  hosts: readonly string[],
): boolean {
  const isOwnOrigin = origin === undefined || hosts.some((own) => origin === `http://${own}`);
  return (
    hosts.includes(host) && isOwnOrigin && (site === undefined || site === 'same-origin' || site === 'none')
  );
}

async function answer(
  parts: ControlParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const [key = '', ...rest] = pathname.split('/').filter((part) => part !== '');
  if (key !== parts.key)
    return sendJson(response, 404, {
      error: 'Use the address that the simulator printed: it contains a key.',
    });
  const place = rest.join('/');
  if (request.method === 'POST') return post(parts, place, request, response);
  if (request.method !== 'GET')
    return sendJson(response, 405, { error: 'Use GET or POST.' }, { allow: 'GET, POST' });
  const { page, updates } = parts;
  if (place === 'events') return updates.subscribe(response, SECURITY_HEADERS);
  if (place === 'state') return sendJson(response, 200, updates.state());
  if (isTarget(place)) return sendJson(response, 200, { verbs: describeVerbs(place) });
  const wantsPage = /text\/html/.test(request.headers.accept ?? '') && page !== undefined;
  if (place === '' && wantsPage && !pathname.endsWith('/'))
    return send(response, 308, '', { location: `/${key}/` });
  const file = place === '' ? (wantsPage ? page.get('index.html') : undefined) : page?.get(place);
  if (file !== undefined) return send(response, 200, file.content, { 'content-type': file.type });
  if (place === '') return sendJson(response, 200, DESCRIPTION);
  sendJson(response, 404, { error: 'There is no such address. GET the control address to list the verbs.' });
}

const DESCRIPTION = {
  use: 'POST one JSON object to <control>/token, <control>/api or <control>/simulator: choices, and one answer or action.',
  verbs: Object.fromEntries(TARGETS.map((target) => [target, describeVerbs(target)])),
  faults: FAULTS,
};

async function post(
  { run, testCall }: ControlParts,
  place: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isTarget(place) && place !== TEST_CALL)
    return sendJson(response, 404, {
      error: `POST to ${[...TARGETS, TEST_CALL].map((target) => `/${target}`).join(', ')}.`,
    });
  const body = await text(request);
  const chain = safely(() => JSON.parse(body) as unknown, undefined);
  const by = request.headers['x-provider-simulator'] === 'page' ? 'page' : 'control';
  try {
    const result = isTarget(place) ? run(place, chain, by) : await testCall();
    sendJson(response, 200, { ok: true, result });
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    sendJson(response, 400, { error: error.message });
  }
}

function isTarget(place: string): place is Target {
  return (TARGETS as readonly string[]).includes(place);
}

function sendJson(response: ServerResponse, status: number, body: object, headers = {}): void {
  const text = `${JSON.stringify(body, null, 2)}\n`;
  send(response, status, text, { 'content-type': 'application/json', ...headers });
}

function send(response: ServerResponse, status: number, body: string | Buffer, headers: object): void {
  response.writeHead(status, { ...SECURITY_HEADERS, ...headers }).end(body);
}
