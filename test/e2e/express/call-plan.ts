import * as fc from 'fast-check';
import { nameIn, seldom } from './arbitraries.js';
import { BODIES, HEADER_SETS, HEADER_VALUES, OPTIONS, PARAMS, SHAPES } from './call-values.js';

/** One call of an application, as data that can be printed. */
export interface CallPlan {
  /** The function that the application calls. */
  readonly via: Via;
  readonly method: string | undefined;
  readonly url: UrlPlan;
  readonly params?: { readonly kind: keyof typeof PARAMS; readonly text: string } | undefined;
  readonly headers?: HeadersPlan | undefined;
  readonly body?: { readonly kind: keyof typeof BODIES; readonly text: string } | undefined;
  /** Members of the config: the name, and the place of the value in `OPTIONS`. */
  readonly options: readonly (readonly [keyof typeof OPTIONS, number])[];
  readonly end?: End | undefined;
  /** What is special about the config as an object. */
  readonly shape?: keyof typeof SHAPES | undefined;
  /** Whether the caller changes the config as soon as the call is made. */
  readonly changesConfig?: true | undefined;
  /** Whether the caller has made another call with the same config before. */
  readonly repeats?: true | undefined;
}

export type Via =
  'request' | 'axios(config)' | 'axios(url, config)' | 'method' | 'service' | 'service.request';

export interface UrlPlan {
  readonly absolute?: true | undefined;
  readonly text: string | undefined;
}

export interface HeadersPlan {
  readonly kind: keyof typeof HEADER_SETS;
  readonly entries: readonly (readonly [string, keyof typeof HEADER_VALUES])[];
}

/** How a caller ends the call before its answer is complete, or gives the means to do so. */
export type End =
  | 'signal, not used'
  | 'cancelToken, not used'
  | 'signal and cancelToken, not used'
  | 'signal before'
  | 'signal before, with a reason'
  | 'cancelToken before'
  | 'signal at once'
  | 'cancelToken at once'
  | 'signal at request'
  | 'signal in body'
  | 'cancelToken at request'
  | 'cancelToken in body'
  | 'timeout at request'
  | 'timeout in body'
  | 'unsubscribe at once'
  | 'unsubscribe at request'
  | 'unsubscribe in body';

const ENDS: readonly End[] = [
  'signal, not used',
  'cancelToken, not used',
  'signal and cancelToken, not used',
  'signal before',
  'signal before, with a reason',
  'cancelToken before',
  'signal at once',
  'cancelToken at once',
  'signal at request',
  'signal in body',
  'cancelToken at request',
  'cancelToken in body',
  'timeout at request',
  'timeout in body',
  'unsubscribe at once',
  'unsubscribe at request',
  'unsubscribe in body',
];

const methods = fc.oneof(
  { withCrossShrink: true },
  { weight: 12, arbitrary: fc.constantFrom('get', 'post', 'put', 'patch', 'delete', 'head', 'options') },
  { weight: 1, arbitrary: fc.constantFrom('GET', 'Post', 'PUT', 'HEAD', undefined) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('query', 'PROPFIND', 'purge', 'get ', 'g\u00e9t', 'x'.repeat(30), ''),
  },
);

const PATH_PIECES = [
  '/',
  'things',
  '7',
  '.',
  '..',
  '//',
  '%2e',
  '%2F',
  '%',
  ' ',
  'é',
  "'",
  '"',
  '|',
  '\\',
  '[',
  ';',
  ':',
  '@',
  '\t',
  '\u{1f600}',
  '%zz',
  '~',
  '+',
  'a=b',
  '..%2f',
];
const QUERY_PIECES = ['a=1', '&', '?', '#', '%20', '%', '+', ' ', "'", '"', '<', '[]', 'é', '/', '..', '='];

const paths = fc.oneof(
  { withCrossShrink: true },
  { weight: 5, arbitrary: fc.constantFrom('/things', 'things/7', '/', '', '/a/b/c') },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.array(fc.constantFrom(...PATH_PIECES), { maxLength: 5 }),
        fc.option(fc.array(fc.constantFrom(...QUERY_PIECES), { maxLength: 5 }), { nil: undefined }),
        fc.option(fc.constantFrom('', 'top', 'a?b#c'), { nil: undefined, freq: 2 }),
      )
      .map(([path, query, hash]) => {
        return `/${path.join('')}${query ? `?${query.join('')}` : ''}${hash === undefined ? '' : `#${hash}`}`;
      }),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const urls: fc.Arbitrary<UrlPlan> = fc.record({
  text: paths,
  absolute: seldom(fc.constant(true as const), 6),
});

const HEADER_NAMES = [
  'X-Own',
  'x-own',
  'X-OWN',
  'Content-Type',
  'content-type',
  'Accept',
  'accept',
  'User-Agent',
  'user-agent',
  'Accept-Encoding',
  'Authorization',
  'authorization',
  'Content-Length',
  'Host',
  'Connection',
  'Cookie',
  'Content-Encoding',
  'Keep-Alive',
  'X-Two ',
  'bad name',
  '',
  'get',
  'common',
  '__proto__',
  'x-é',
  'If-None-Match',
];

/** Mostly headers that every application sets. */
const headerNames = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constantFrom('X-Own', 'Accept', 'Content-Type', 'User-Agent', 'If-None-Match') },
  { weight: 2, arbitrary: fc.constantFrom(...HEADER_NAMES) },
);
const USUAL_VALUES = ['text', 'number', 'JSON type', 'text type', 'long text'] as const;
const headerValues = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constantFrom<keyof typeof HEADER_VALUES>(...USUAL_VALUES) },
  { weight: 3, arbitrary: nameIn(HEADER_VALUES) },
);

const headers: fc.Arbitrary<HeadersPlan> = fc.record({
  kind: fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constant('plain object' as const) },
    { weight: 2, arbitrary: nameIn(HEADER_SETS) },
  ),
  entries: fc.array(fc.tuple(headerNames, headerValues), { maxLength: 4 }),
});

/** Options that any application sets. The direct path serves most of them. */
const USUAL = [
  'responseType',
  'timeout',
  'validateStatus',
  'maxContentLength',
  'maxBodyLength',
  'responseEncoding',
  'transitional',
] as const;

const optionNames = fc.oneof(
  { withCrossShrink: true },
  { weight: 4, arbitrary: fc.constantFrom<keyof typeof OPTIONS>(...USUAL) },
  { weight: 1, arbitrary: fc.constant('responseType' as const) },
  { weight: 2, arbitrary: nameIn(OPTIONS) },
);

const options = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: fc.constant([]) },
  {
    weight: 5,
    arbitrary: fc.array(
      optionNames.chain((name) => fc.tuple(fc.constant(name), fc.nat({ max: OPTIONS[name].length - 1 }))),
      { minLength: 1, maxLength: 3 },
    ),
  },
);

/** Most applications send only such bodies. */
const USUAL_BODIES = ['object', 'array', 'text', 'JSON text', 'Buffer', 'URLSearchParams'] as const;

const bodies = fc.oneof(
  { withCrossShrink: true },
  { weight: 3, arbitrary: fc.constantFrom<keyof typeof BODIES>(...USUAL_BODIES) },
  { weight: 2, arbitrary: nameIn(BODIES) },
);

const texts = fc.oneof(
  fc.constantFrom(
    'a',
    '',
    'Zürich ✓',
    'a b',
    '{"a":1}',
    ' {"a":1} ',
    '[]',
    '12',
    'null',
    '"quoted"',
    '\ufeff',
  ),
  fc.string({ maxLength: 8, unit: 'grapheme' }),
);

const anyCalls: fc.Arbitrary<CallPlan> = fc.record({
  via: fc.constantFrom<Via>(
    'request',
    'axios(config)',
    'axios(url, config)',
    'method',
    'service',
    'service.request',
  ),
  method: methods,
  url: urls,
  params: seldom(fc.record({ kind: nameIn(PARAMS), text: texts }), 5),
  headers: seldom(headers, 4),
  body: seldom(fc.record({ kind: bodies, text: texts }), 3),
  options,
  end: seldom(fc.constantFrom(...ENDS), 10),
  shape: seldom(nameIn(SHAPES), 16),
  changesConfig: seldom(fc.constant(true as const), 16),
  repeats: seldom(fc.constant(true as const), 16),
});

export const calls: fc.Arbitrary<CallPlan> = anyCalls.map((call) => {
  const isObserved = call.via === 'service' || call.via === 'service.request';
  // Only an Observable can be unsubscribed. Any other call would never end.
  return call.end?.startsWith('unsubscribe') && !isObserved ? { ...call, via: 'service' } : call;
});
