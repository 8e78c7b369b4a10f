import type { ApiScripts } from '../../../lib/testing/index.js';

/** What a caller may see: a status, the code of an error, or `ok` for the right response. */
export type Outcome = `${number}` | 'ok' | (string & {});

/** A fault of the API. The path of a request names its fault, so each request meets the fault that was drawn for it. */
export interface ApiFault {
  readonly name: string;
  readonly weight: number;
  readonly script: (api: ApiScripts) => void;
  /** The outcomes that this fault may cause if nothing else goes wrong. */
  readonly allows: readonly Outcome[];
  /** The timeout of the call. For responses that never end: the call must give up by itself. */
  readonly timeoutMs?: number;
}

/** No call takes longer than this. */
export const CALL_TIMEOUT_MS = 15_000;
const SHORT_MS = 500;

/** More than any regular response of the simulator, and less than a flood. */
export const LARGEST_ANSWER = 64 * 1024;

const TIME_OUT = { allows: ['ECONNABORTED'], timeoutMs: SHORT_MS } as const;
const CUT_OFF = { allows: ['ECONNRESET'] } as const;

export const NO_FAULT: ApiFault = {
  name: 'none',
  weight: 55,
  allows: ['ok'],
  script: () => undefined,
};

export const API_FAULTS: readonly ApiFault[] = [
  NO_FAULT,
  { name: 'late', weight: 5, allows: ['ok'], script: (api) => api.delay(40) },
  { name: 'status-404', weight: 1, allows: ['404'], script: (api) => api.status(404) },
  {
    name: 'status-500',
    weight: 2,
    allows: ['500'],
    script: (api) => api.answer({ status: 500, body: { error: 'broken' } }),
  },
  { name: 'retry-after', weight: 2, allows: ['429'], script: (api) => api.retryAfter(1, 429) },
  { name: 'not-json', weight: 1, allows: ['not-the-echo'], script: (api) => api.body('{"unfinished":') },
  { name: 'redirect', weight: 1, allows: ['302'], script: (api) => api.redirect('https://127.0.0.1:1/') },
  { name: 'reset', weight: 2, ...CUT_OFF, script: (api) => api.reset() },
  {
    name: 'reset-mid-body',
    weight: 2,
    allows: ['ECONNRESET', 'ERR_BAD_RESPONSE'],
    script: (api) => api.reset('mid-body'),
  },
  { name: 'hang-up', weight: 2, ...CUT_OFF, script: (api) => api.hangUp() },
  {
    name: 'hang-up-mid-body',
    weight: 2,
    allows: ['ECONNRESET', 'ERR_BAD_RESPONSE'],
    script: (api) => api.hangUp('mid-body'),
  },
  { name: 'hang', weight: 1, ...TIME_OUT, script: (api) => api.hang() },
  { name: 'drip-body', weight: 1, ...TIME_OUT, script: (api) => api.drip('body') },
  { name: 'drip-headers', weight: 1, ...TIME_OUT, script: (api) => api.drip('headers') },
  { name: 'drip-interim', weight: 1, ...TIME_OUT, script: (api) => api.drip('interim') },
  {
    name: 'switch-protocols',
    weight: 1,
    // axios ignores the change of protocol until its timeout. undici refuses the response at once.
    allows: ['ECONNABORTED', 'ECONNRESET'],
    timeoutMs: SHORT_MS,
    script: (api) => api.switchProtocols(),
  },
  { name: 'flood', weight: 1, allows: ['ERR_BAD_RESPONSE'], script: (api) => api.flood() },
  { name: 'garbage', weight: 1, allows: ['HPE_INVALID_CONSTANT'], script: (api) => api.garbage() },
  { name: 'held', weight: 2, allows: ['ok'], script: hold },
  { name: 'reflects', weight: 2, allows: ['500'], script: reflect },
  { name: 'refused', weight: 1, allows: [], script: (api) => api.unauthorized() },
  { name: 'refused-early', weight: 1, allows: [], script: (api) => api.early().unauthorized() },
  // The call recovers: it gets another token and is sent once more (C3).
  { name: 'refused-once', weight: 6, allows: ['ok'], script: refuseOnce },
];

export function faultOfPath(path: string): string | undefined {
  return /^\/([a-z0-9-]+)\/\d+$/.exec(path)?.[1];
}

/**
 * Installs each fault at its paths. The soak installs all scripts again after each collection of records, so a script
 * keeps its memory outside of itself.
 */
export function scriptAll(api: ApiScripts): void {
  for (const { name, script } of API_FAULTS) script(api.path(new RegExp(`^/${name}/`)));
}

function hold(api: ApiScripts): void {
  const held = api.hold();
  void held.arrived.then(() => setTimeout(() => held.release(), 30));
}

/** A server that repeats the token in the reason, in a header and in the body (B12). */
function reflect(api: ApiScripts): void {
  api.handler(({ headers: { authorization = '' } }, response) => {
    response
      .writeHead(500, authorization.slice(0, 1_000), {
        'content-type': 'application/json',
        'x-reflected': authorization,
      })
      .end(JSON.stringify({ authorization }));
  });
}

const refused = new Set<string>();

function refuseOnce(api: ApiScripts): void {
  api.handler(async (_request, response, exchange) => {
    if (refused.delete(exchange.path)) return exchange.sendRegular();
    refused.add(exchange.path);
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
  });
}
