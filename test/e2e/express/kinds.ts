import type { AnswerPlan, Fault } from './answer-plan.js';
import type { End, HeadersPlan } from './call-plan.js';
import { HEADER_VALUES, OPTIONS } from './call-values.js';
import { REQUEST_INTERCEPTORS, type RequestInterceptor } from './instance-plan.js';
import type { Pair } from './pair.js';

type IsKind = (pair: Pair) => boolean;

/** What must occur often enough among the random calls (B17). */
export const KINDS: Readonly<Record<string, IsKind>> = {
  ...named(['get', 'head', 'post', 'put', 'patch', 'delete', 'options'], (method) => [
    `the method ${method.toUpperCase()}`,
    ({ call }) => call.method?.toLowerCase() === method,
  ]),
  'an odd method': ({ call }) => !/^(get|head|post|put|patch|delete|options)?$/i.test(call.method ?? ''),
  'an odd path': ({ call }) => !/^[/\w]*$/.test(call.url.text ?? ''),
  'a query in the path': ({ call }) => call.url.text?.includes('?') === true,
  'a whole address': ({ call }) => call.url.absolute === true,
  params: ({ call }) => call.params !== undefined,
  'nested params': ({ call }) => call.params?.kind === 'nested',
  'params with lists': ({ call }) => call.params?.kind === 'list',
  'params with special characters': ({ call }) => call.params?.kind === 'special',
  'headers of the caller': ({ call }) => entriesOf(call.headers).length > 0,
  'headers with odd values': ({ call }) =>
    entriesOf(call.headers).some(([, value]) => !/text|type|number/.test(value)),
  'headers with odd names': ({ call }) => entriesOf(call.headers).some(([name]) => !/^[\w-]+$/.test(name)),
  'a header without a value': ({ call }) =>
    entriesOf(call.headers).some(([, value]) => (HEADER_VALUES[value]() ?? undefined) === undefined),
  'a header that is repeated': ({ call }) => hasRepeated(entriesOf(call.headers)),
  'a header with several values': ({ call }) =>
    entriesOf(call.headers).some(([, value]) => value.startsWith('list')),
  'headers as AxiosHeaders': ({ call }) => call.headers?.kind === 'AxiosHeaders',
  ...named(['object', 'array', 'text', 'Buffer', 'URLSearchParams'] as const, (body) => [
    `the body ${body}`,
    ({ call }) => call.body?.kind === body && !hasNoBody(call.method),
  ]),
  'a body that is read once, or a form': ({ call }) =>
    /^(stream|FormData|Blob)$/.test(call.body?.kind ?? '') && !hasNoBody(call.method),
  'no body': ({ call }) => call.body === undefined,
  'a body of a method without bodies': ({ call }) => call.body !== undefined && hasNoBody(call.method),
  ...named(['json', 'text', 'arraybuffer', 'stream'], (type) => [
    `the response type ${type}`,
    optionIs('responseType', (value) => value === type),
  ]),
  'an encoding for texts': optionIs('responseEncoding', isText),
  'a timeout': (pair) => pair.call.end?.startsWith('timeout') === true || has('timeout')(pair),
  'validateStatus off': optionIs('validateStatus', (value) => value === null),
  'validateStatus of the caller': optionIs('validateStatus', (value) => typeof value === 'function'),
  'a limit for content': optionIs('maxContentLength', (value) => Number(value) > 0),
  'a limit for bodies': optionIs('maxBodyLength', (value) => Number(value) > 0),
  'an option of the general path': ({ call }) =>
    call.options.some(([name]) => /^(transform|paramsSerializer|adapter|auth|proxy|baseURL)/.test(name)),
  'a config that is special as an object': ({ call }) => call.shape !== undefined,
  'a config that is changed too late': ({ call }) => call.changesConfig === true,
  'a config that is used again': ({ call }) => call.repeats === true,
  'a signal': (pair) => endHas('signal')(pair),
  'a signal that ends the call': ({ call }) => /^signal (?:at|in)/.test(call.end ?? ''),
  'a cancelToken': (pair) => endHas('cancelToken')(pair),
  'a cancelToken that ends the call': ({ call }) => /^cancelToken (?:at|in)/.test(call.end ?? ''),
  'a timeout that ends the call': (pair) => endHas('timeout')(pair),
  'an unsubscribed Observable': (pair) => endHas('unsubscribe')(pair) && pair.call.via.startsWith('service'),
  'a synchronous request interceptor': (pair) => hasInterceptor(pair, true),
  'an asynchronous request interceptor': (pair) => hasInterceptor(pair, false),
  'a response interceptor': ({ instance }) => instance.responseInterceptors.length > 0,
  'changed defaults': ({ instance }) => instance.defaults.length > 0,
  'defaults that are changed after a call': ({ instance }) =>
    instance.defaults.length > 0 && instance.hasCalled === true,
  'a token that is fetched': ({ instance }) => instance.token.startsWith('fetched'),
  ...named([200, 201, 204, 205, 206, 304, 401, 404, 500, 503], (status) => [
    `the status ${status}`,
    answerHas((answer) => answer.status === status),
  ]),
  'an unusual status': answerHas(({ status }) => status > 599),
  'an unusual reason': answerHas(({ reason }) => !/^(OK|Moved|Unauthorized)$/.test(reason)),
  'a header of the answer that is repeated': answerHas(({ headers }) => hasRepeated(headers)),
  'Set-Cookie': answerHas(({ headers }) => headers.some(([name]) => /^set-cookie$/i.test(name))),
  'Set-Cookie, repeated': answerHas(
    ({ headers }) => headers.filter(([name]) => /^set-cookie$/i.test(name)).length > 1,
  ),
  'an odd header of the answer': answerHas(({ headers }) =>
    headers.some(
      ([name, value]) =>
        /^(__proto__|constructor|toString|get|set|1)$/.test(name) || !/^[!-~](?:[ -~]*[!-~])?$/.test(value),
    ),
  ),
  ...named(['gzip', 'deflate', 'raw deflate', 'br', 'zstd', 'unknown'] as const, (encoding) => [
    `the encoding ${encoding}`,
    answerHas((answer) => answer.encoding === encoding && hasContent(answer)),
  ]),
  'a broken encoding': answerHas(({ encoding = '' }) => /^(half|not)|more$/.test(encoding)),
  'broken JSON': answerHas(({ body }) => body === 'broken JSON'),
  'a body that is no JSON': answerHas(({ body }) => /^(plain|bytes|latin1|long text)$/.test(body)),
  'a long body': answerHas(({ body }) => body.startsWith('long')),
  'a body that shows the token': answerHas(({ body }) => body.startsWith('token')),
  'an early end before the body': answerHas(({ fault }) => fault !== undefined && EARLY_ENDS.has(fault)),
  'an early end in the body': answerHas(({ fault }) => fault === 'in-body'),
  'a reset in the body': answerHas(({ fault }) => fault === 'reset-in-body'),
  'a malformed head': answerHas(({ fault }) => fault === 'not-http' || fault === 'header-without-colon'),
  'HTTP/1.0': answerHas(({ fault }) => fault === 'old-version'),
  'a chunked body': answerHas(({ framing }) => framing === 'chunked'),
  trailers: answerHas(({ framing }) => framing === 'trailers'),
  'a wrong length': answerHas(({ framing = '' }) => /^(too|no-number|twice)/.test(framing)),
  'a body until the end of the connection': answerHas(({ framing }) => framing === 'until-close'),
  'a slow body': answerHas(({ slow }) => slow === true),
  'the informational status 100': answerHas(({ informational }) => informational?.includes(100) === true),
  'the informational status 103': answerHas(({ informational }) => informational?.includes(103) === true),
  'a redirect': answerHas(({ status, headers }) => /^30[12378]$/.test(String(status)) && headers.length > 0),
  'a redirect that is followed': (pair) =>
    optionIs('maxRedirects', (value) => Number(value) > 0)(pair) || pair.instance.settings === 'redirects',
  'a 401 and a resend': ({ answers, instance }) =>
    answers.length > 1 && answers[0]?.status === 401 && instance.renewal === 'another',
  'a 401 and a failed renewal': ({ answers, instance }) =>
    answers[0]?.status === 401 && instance.renewal !== 'another',
  'a 401 twice': ({ answers }) => answers[0]?.status === 401 && answers.at(-1)?.status === 401,
  'HEAD with a body that is announced': (pair) =>
    KINDS['the method HEAD']?.(pair) === true && answerHas(({ body }) => body !== 'empty')(pair),
};

/** How many pairs are of one kind. */
export interface KindCount {
  pairs: number;
  /** How many of these took the direct path. */
  express: number;
}

/** Counts the kinds of the pairs of a run. */
export class KindCounts {
  readonly #counts = new Map<string, KindCount>(
    Object.keys(KINDS).map((name) => [name, { pairs: 0, express: 0 }]),
  );
  #pairs = 0;

  add(pair: Pair, usedDirectPath: boolean): void {
    this.#pairs += 1;
    for (const [name, count] of this.#counts) {
      if (KINDS[name]?.(pair) !== true) continue;
      count.pairs += 1;
      if (usedDirectPath) count.express += 1;
    }
  }

  /** The kinds that fewer pairs than this share have. */
  rarerThan(share: number): string[] {
    return [...this.#counts].filter(([, { pairs }]) => pairs < share * this.#pairs).map(([name]) => name);
  }

  /** The kinds that never took the direct path. */
  get onlyGeneral(): string[] {
    return [...this.#counts].filter(([, { express }]) => express === 0).map(([name]) => name);
  }

  /** A line for each kind. */
  get table(): string {
    const percent = (count: number): string => `${((100 * count) / this.#pairs).toFixed(1)} %`.padStart(7);
    return [...this.#counts]
      .map(([name, { pairs, express }]) => `${percent(pairs)} ${percent(express)}  ${name}`)
      .join('\n');
  }
}

const EARLY_ENDS: ReadonlySet<Fault> = new Set([
  'before-headers',
  'reset-before-headers',
  'in-status-line',
  'in-headers',
]);

function named<Name>(
  names: readonly Name[],
  kind: (name: Name) => readonly [name: string, is: IsKind],
): Record<string, IsKind> {
  return Object.fromEntries(names.map(kind));
}

function entriesOf(headers: HeadersPlan | undefined): HeadersPlan['entries'] {
  return headers?.entries ?? [];
}

function hasRepeated(entries: readonly (readonly [name: string, value: unknown])[]): boolean {
  return new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length;
}

function hasNoBody(method: string | undefined): boolean {
  return /^(get|head|delete|options)?$/i.test(method ?? '');
}

/** Whether a call has an option with such a value. The last value counts. */
function optionIs(name: keyof typeof OPTIONS, condition: (value: unknown) => boolean): IsKind {
  return ({ call }) => {
    const [, index] = call.options.findLast(([option]) => option === name) ?? [];
    return index !== undefined && condition(OPTIONS[name][index]);
  };
}

function has(name: keyof typeof OPTIONS): IsKind {
  return optionIs(name, () => true);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function endHas(means: 'signal' | 'cancelToken' | 'timeout' | 'unsubscribe'): IsKind {
  return ({ call }) => (call.end satisfies End | undefined)?.includes(means) === true;
}

function hasInterceptor({ instance }: Pair, synchronous: boolean): boolean {
  return instance.requestInterceptors.some((name) => {
    const { options }: RequestInterceptor = REQUEST_INTERCEPTORS[name];
    return (options?.synchronous === true) === synchronous;
  });
}

function answerHas(condition: (answer: AnswerPlan) => boolean): IsKind {
  return ({ answers }) => answers.some(condition);
}

function hasContent({ status }: AnswerPlan): boolean {
  return status !== 204 && status !== 304;
}
