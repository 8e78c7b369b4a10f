import * as fc from 'fast-check';
import { type AnswerPlan, answerLists } from './answer-plan.js';
import { nameIn, seldom } from './arbitraries.js';
import type { InstancePlan } from './instance-plan.js';

/** One call by `fetch`, and the answers of the server, as data that can be printed. */
export interface FetchPlan {
  readonly method: string | undefined;
  readonly input: 'path' | 'whole address' | 'URL' | 'Request';
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: keyof typeof FETCH_BODIES | undefined;
  readonly redirect?: 'follow' | 'manual' | 'error' | undefined;
  readonly end?: FetchEnd | undefined;
  readonly read: keyof typeof READS;
  readonly settings: keyof typeof FETCH_SETTINGS;
  readonly token: InstancePlan['token'];
  readonly renewal: InstancePlan['renewal'];
  readonly answers: readonly AnswerPlan[];
}

export type FetchEnd = 'signal, not used' | 'signal at request' | 'signal in body' | 'timeout at request';

/** Most of them can be sent again. */
export const FETCH_BODIES = {
  text: () => 'a text, Zürich',
  'empty text': () => '',
  JSON: () => '{"a":[1,"zwei"]}',
  parameters: () => new URLSearchParams({ a: 'ä b', c: '' }),
  bytes: () => Buffer.from([0, 255, 128]),
  'no bytes': () => new Uint8Array(),
  memory: () => new Uint16Array([1, 2]).buffer,
  'long text': () => 'long '.repeat(30_000),
  Blob: () => new Blob(['blob'], { type: 'text/x' }),
  stream: () => new Blob(['stream']).stream(),
  form: () => {
    const form = new FormData();
    form.append('a "name"', 'one\nline\r\nmore');
    form.append('file', new File(['content'], 'file.txt', { type: 'text/x' }));
    return form;
  },
} satisfies Record<string, () => unknown>;

/** What the caller does with a response. */
export const READS = {
  text: (answer: Response) => answer.text(),
  json: async (answer: Response) => JSON.stringify(await answer.json()),
  bytes: async (answer: Response) => Buffer.from(await answer.arrayBuffer()).toString('base64'),
  blob: async (answer: Response) => {
    const blob = await answer.blob();
    return `${blob.type} ${await blob.text()}`;
  },
  stream: async ({ body }: Response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('base64');
  },
  'both clones': async (answer: Response) =>
    (await Promise.all([answer.clone().text(), answer.text()])).join('|'),
  cancel: async ({ body }: Response) => String(await body?.cancel()),
} satisfies Record<string, (answer: Response) => Promise<string>>;

/** Settings of the client. The plans of one setting share their clients. */
export const FETCH_SETTINGS = {
  usual: {},
  'headers of the client': { headers: { 'X-Client': 'one', Accept: 'application/json' } },
  'no renewal': { retryUnauthorized: false },
  redirects: { maxRedirects: 2 },
} as const;

const HEADERS = [
  ['accept', 'text/plain'],
  ['X-Own', 'one'],
  ['x-own', 'two'],
  ['Content-Type', 'application/json'],
  ['user-agent', 'own/1'],
  ['accept-encoding', 'identity'],
  ['content-length', '3'],
  ['authorization', 'Bearer own'],
  ['x-empty', ''],
  ['x-latin', 'Z\xfcrich'],
  ['host', 'other.example'],
  ['connection', 'close'],
  ['cookie', 'a=1'],
  ['constructor', 'x'],
] as const;

const methods = fc.oneof(
  { withCrossShrink: true },
  { weight: 12, arbitrary: fc.constantFrom(undefined, 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD') },
  { weight: 1, arbitrary: fc.constantFrom('OPTIONS', 'patch', 'QUERY', 'PROPFIND') },
);

const PATHS = [
  '/things',
  'things/1',
  '',
  '?a=1',
  '/a%20b?c=ä',
  '/a/../b',
  '/x y',
  '/a?b=c#d',
  '/../out',
  '//x',
] as const;

export const fetchPlans: fc.Arbitrary<FetchPlan> = fc
  .record({
    method: methods,
    input: fc.constantFrom('path', 'path', 'whole address', 'URL', 'Request'),
    path: fc.oneof(
      { weight: 3, arbitrary: fc.constant('/things') },
      { weight: 1, arbitrary: fc.constantFrom(...PATHS) },
    ),
    headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 3, size: 'small' }),
    body: seldom(nameIn(FETCH_BODIES), 2),
    redirect: seldom(fc.constantFrom('follow', 'manual', 'error'), 6),
    end: seldom(
      fc.constantFrom<FetchEnd>(
        'signal, not used',
        'signal, not used',
        'signal at request',
        'signal in body',
        'timeout at request',
      ),
      8,
    ),
    read: nameIn(READS),
    settings: fc.oneof(
      { weight: 4, arbitrary: fc.constant('usual' as const) },
      { weight: 1, arbitrary: nameIn(FETCH_SETTINGS) },
    ),
    token: fc.oneof(
      { weight: 6, arbitrary: fc.constant('cached' as const) },
      { weight: 1, arbitrary: fc.constantFrom('fetched later', 'fails') },
    ),
    renewal: fc.oneof(
      { weight: 4, arbitrary: fc.constant('another' as const) },
      { weight: 1, arbitrary: fc.constantFrom('same', 'fails') },
    ),
    answers: answerLists,
  })
  .map(({ body, method, answers, ...rest }) => {
    const takesBody = method !== undefined && !['GET', 'HEAD'].includes(method);
    return {
      ...rest,
      method,
      body: takesBody ? body : undefined,
      answers: isEndedByCaller(rest.end) ? answers.map(withoutOwnFailure) : answers,
    };
  });

function isEndedByCaller(end: FetchEnd | undefined): boolean {
  return end !== undefined && end !== 'signal, not used';
}

/** If the caller ends a call that fails by itself, chance decides which of both comes first. */
function withoutOwnFailure(answer: AnswerPlan): AnswerPlan {
  const { fault, encoding, ...rest } = answer;
  return fault !== undefined || BROKEN.has(encoding) ? rest : answer;
}

const BROKEN = new Set<AnswerPlan['encoding']>(['not gzip', 'half of gzip', 'half of br', 'gzip and more']);

/** Whether the end of the call depends on time, or on the order in which data and the end of a connection arrive. */
export function isTimedFetch({ end, answers, headers, read }: FetchPlan): boolean {
  const isUnframed = headers.some(([name]) => name === 'connection');
  return (
    end !== undefined ||
    isUnframed ||
    read === 'cancel' ||
    answers.some(
      ({ fault, framing, slow }) =>
        fault !== undefined || slow === true || (framing !== undefined && framing !== 'chunked'),
    )
  );
}
