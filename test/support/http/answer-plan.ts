import * as fc from 'fast-check';
import { nameIn, seldom } from './random-calls.js';
import { BODIES_OF_ANSWERS, ENCODINGS } from './answer-bodies.js';

/** One answer of the server, as data that can be printed. */
export interface AnswerPlan {
  readonly status: number;
  readonly reason: string;
  /** Texts are written as latin1. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: keyof typeof BODIES_OF_ANSWERS;
  readonly encoding?: keyof typeof ENCODINGS | undefined;
  readonly framing?: Framing | undefined;
  readonly fault?: Fault | undefined;
  /** Whether the body arrives in pieces, with pauses. */
  readonly slow?: true | undefined;
  readonly informational?: readonly number[] | undefined;
}

/** How the client knows the end of the body. The default is a correct `Content-Length`. */
export type Framing =
  'chunked' | 'until-close' | 'too-long' | 'too-short' | 'no-number' | 'twice' | 'trailers';

/** Where the connection breaks, or what is wrong with the head. */
export type Fault =
  | 'before-headers'
  | 'reset-before-headers'
  | 'in-status-line'
  | 'in-headers'
  | 'in-body'
  | 'reset-in-body'
  | 'not-http'
  | 'header-without-colon'
  | 'old-version';

const statuses = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: fc.constant(200) },
  { weight: 6, arbitrary: fc.constantFrom(201, 202, 203, 204, 205, 206, 299, 300, 304) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(400, 402, 403, 404, 409, 410, 418, 422, 429, 499, 500, 502, 503, 504, 599),
  },
  { weight: 1, arbitrary: fc.integer({ min: 200, max: 599 }) },
  { weight: 1, arbitrary: fc.constantFrom(600, 799, 999) },
);

const reasons = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constant('OK') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', 'Fine By Me', 'Größe \xa0', 'a: b', 'tab\there', '200', 'OK '),
  },
);

/** Repeated names are likely, because the list is short. */
const NAMES = [
  'content-type',
  'Content-Type',
  'set-cookie',
  'Set-Cookie',
  'x-one',
  'X-One',
  'x-two',
  'vary',
  'etag',
  'ETag',
  'retry-after',
  'age',
  'expires',
  'server',
  'date',
  'location',
  'www-authenticate',
  'link',
  'cookie',
  'connection',
  'keep-alive',
  'get',
  'set',
  'constructor',
  '__proto__',
  'toString',
  '1',
  'x_under.score',
];
const VALUES = [
  'application/json',
  'application/json; charset=utf-8',
  'text/plain',
  'text/html; charset=latin1',
  'a=1; Path=/',
  'b=2',
  '',
  ' \t padded \t',
  'Z\xfcrich \xe9\xff',
  '0',
  'null',
  'close',
  'keep-alive',
  'timeout=5',
  'x'.repeat(300),
  'Bearer canary-token-1',
  '"quoted, value"',
  'a, b',
  'Sun, 06 Nov 1994 08:49:37 GMT',
];

/** Any server sends several of these in one answer. */
const COOKIES = [
  ['set-cookie', 'a=1; Path=/'],
  ['Set-Cookie', 'b=2'],
] as const;

const headers = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES)) },
    {
      weight: 3,
      arbitrary: fc.tuple(fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/), fc.stringMatching(/^[!-~]{0,10}$/)),
    },
    { weight: 1, arbitrary: fc.constantFrom(...COOKIES) },
  ),
  { maxLength: 5, size: 'small' },
);

const framings: fc.Arbitrary<Framing> = fc.oneof(
  { withCrossShrink: true },
  { weight: 6, arbitrary: fc.constant<Framing>('chunked') },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Framing>(
      'until-close',
      'too-long',
      'too-short',
      'no-number',
      'twice',
      'trailers',
    ),
  },
);

const faults = fc.constantFrom<Fault>(
  'before-headers',
  'reset-before-headers',
  'in-status-line',
  'in-headers',
  'in-body',
  'reset-in-body',
  'not-http',
  'header-without-colon',
  'old-version',
  'old-version',
);

export const answers: fc.Arbitrary<AnswerPlan> = fc.record({
  status: statuses,
  reason: reasons,
  headers,
  body: nameIn(BODIES_OF_ANSWERS),
  encoding: seldom(nameIn(ENCODINGS), 5),
  framing: seldom(framings, 3),
  fault: seldom(faults, 9),
  slow: seldom(fc.constant(true as const), 20),
  informational: seldom(fc.array(fc.constantFrom(100, 102, 103), { minLength: 1, maxLength: 2 }), 20),
});

const UNAUTHORIZED = { status: 401, reason: 'Unauthorized', headers: [], body: 'empty' } as const;

/** 401 without and with a body, so that the first answer is refused and the next is any answer. */
const refusals: fc.Arbitrary<AnswerPlan> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant(UNAUTHORIZED) },
  { weight: 1, arbitrary: answers.map((answer) => ({ ...answer, status: 401 })) },
);

const redirects: fc.Arbitrary<AnswerPlan> = fc
  .tuple(
    fc.constantFrom(301, 302, 303, 307, 308),
    fc.constantFrom('<base>/next', '/elsewhere', '<base>/a/../b?x=1', 'next', 'https://127.0.0.1:1/x', ''),
  )
  .map(([status, to]) => ({ status, reason: 'Moved', headers: [['Location', to]], body: 'empty' }));

/** The answers to the requests of one call. The last one is repeated. */
export const answerLists: fc.Arbitrary<readonly AnswerPlan[]> = fc.oneof(
  { withCrossShrink: true },
  { weight: 14, arbitrary: answers.map((answer) => [answer]) },
  { weight: 2, arbitrary: fc.tuple(refusals, answers) },
  { weight: 1, arbitrary: fc.tuple(refusals, refusals) },
  { weight: 1, arbitrary: fc.tuple(redirects, answers) },
);
