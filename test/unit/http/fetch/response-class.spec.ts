import { setTimeout as pauseFor } from 'node:timers/promises';
import { inspect } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { getResponseClass, type ResponseHead } from '../../../../lib/http/fetch/response-class.js';
import { receivedBody } from '../../../support/http/received-body.js';

type Answer = Response & { bytes?: () => Promise<Uint8Array> };

const BODIES = {
  JSON: '{"a":[1,"ü"]}',
  empty: '',
  text: 'no JSON',
  'a byte order mark': '\ufeff{"a":1}',
  'two byte order marks': '\ufeff\ufeff1',
  'bytes that are no UTF-8': Buffer.from([0x22, 0xff, 0xc3, 0x22]),
  'a form': 'a=1&b=%20',
  long: 'abc'.repeat(50_000),
} as const;

const TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'Text/Plain; charset=latin1',
] as const;

interface Plan {
  readonly body: keyof typeof BODIES;
  readonly type: (typeof TYPES)[number] | undefined;
  readonly status: number;
  /** How the bytes arrive. */
  readonly arrival: 'before' | 'later' | 'in pieces' | 'cut short' | 'never, without a body';
  readonly steps: readonly (keyof typeof STEPS)[];
}

/** What code does with a response. Each step returns what it saw. */
const STEPS = {
  text: (answer: Answer) => answer.text(),
  json: (answer: Answer) => answer.json(),
  arrayBuffer: async (answer: Answer) => Buffer.from(await answer.arrayBuffer()).toString('base64'),
  blob: async (answer: Answer) => {
    const blob = await answer.blob();
    return [blob.type, await blob.text()];
  },
  bytes: async (answer: Answer) => Buffer.from((await answer.bytes?.()) ?? []).toString('base64'),
  formData: async (answer: Answer) => [...(await answer.formData())],
  bodyUsed: (answer: Answer) => answer.bodyUsed,
  'two reads at once': (answer: Answer) => Promise.allSettled([answer.text(), answer.json()]).then(shown),
  'bodyUsed while reading': async (answer: Answer) => {
    const read = answer.text().catch(messageOf);
    const isUsed = answer.bodyUsed;
    return [isUsed, await read];
  },
  'the body as a stream': (answer: Answer) =>
    answer.body === null ? null : Object.prototype.toString.call(answer.body),
  'the same stream again': (answer: Answer) => answer.body === answer.body,
  locked: (answer: Answer) => answer.body?.locked,
  'one chunk': async (answer: Answer) => {
    if (answer.body === null) return null;
    const reader = answer.body.getReader();
    const { done, value } = await reader.read();
    reader.releaseLock();
    return [done, value !== undefined];
  },
  'all chunks': async (answer: Answer) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) chunks.push(chunk);
    return Buffer.concat(chunks).toString('base64');
  },
  'an own buffer': async (answer: Answer) => {
    const reader = answer.body?.getReader({ mode: 'byob' });
    const { done, value } = (await reader?.read(new Uint8Array(4))) ?? {};
    reader?.releaseLock();
    return [done, value?.length];
  },
  cancel: (answer: Answer) => answer.body?.cancel(),
  clone: async (answer: Answer) => {
    const clone = answer.clone();
    return [
      clone.status,
      clone.statusText,
      [...clone.headers],
      clone.bodyUsed,
      await clone.text().catch(messageOf),
    ];
  },
  'a clone of a clone': (answer: Answer) => answer.clone().clone().text(),
  facts: ({ status, ok, statusText }: Answer) => [status, ok, statusText],
  headers: (answer: Answer) => [[...answer.headers], answer.headers === answer.headers],
  'a header that is set': (answer: Answer) => {
    answer.headers.set('x-own', 'one');
    return [...answer.clone().headers];
  },
  'own keys': (answer: Answer) => [Object.keys(answer), JSON.stringify(answer)],
  members: (answer: Answer) => {
    const names: string[] = [];
    for (const name in answer) names.push(name);
    return names.toSorted();
  },
  tag: (answer: Answer) => [
    Object.prototype.toString.call(answer),
    answer instanceof Response,
    answer.constructor === Response,
  ],
  inspect: (answer: Answer) => inspect(answer).replaceAll(/url: .*|type: .*|state: '\w+'/g, ''),
  'a copy': async (answer: Answer) => {
    const copy = new Response(answer.body, answer);
    return [copy.status, copy.statusText, [...copy.headers], await copy.text()];
  },
} satisfies Record<string, (answer: Answer) => unknown>;

function shown(results: readonly PromiseSettledResult<unknown>[]): unknown[] {
  return results.map((one) => (one.status === 'fulfilled' ? one.value : messageOf(one.reason)));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

const plans: fc.Arbitrary<Plan> = fc.record({
  body: fc.constantFrom(...(Object.keys(BODIES) as (keyof typeof BODIES)[])),
  type: fc.constantFrom(...TYPES, undefined),
  status: fc.constantFrom(200, 201, 400, 599),
  arrival: fc.constantFrom(
    'before' as const,
    'later' as const,
    'in pieces' as const,
    'cut short' as const,
    'never, without a body' as const,
  ),
  steps: fc.array(fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])), {
    minLength: 1,
    maxLength: 5,
  }),
});

/** The chunks of the body, and whether its end follows. */
function piecesOf({ body, arrival }: Plan): readonly Buffer[] {
  const bytes = Buffer.from(BODIES[body]);
  if (bytes.length === 0) return [];
  const middle = Math.floor(bytes.length / 2);
  const isWhole = arrival === 'before' || arrival === 'later';
  return isWhole
    ? [bytes]
    : [bytes.subarray(0, middle), bytes.subarray(middle)].filter(({ length }) => length > 0);
}

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const failure = new TypeError('terminated');

function headersOf({ type }: Plan): [string, string][] {
  return [
    ...(type === undefined ? [] : [['content-type', type] as [string, string]]),
    ['set-cookie', 'a'],
    ['set-cookie', 'b'],
    ['x', 'y'],
  ];
}

/** A response of ours, whose body arrives as planned. */
function ours(plan: Plan): Answer {
  const head: ResponseHead = {
    status: plan.status,
    statusText: 'As set',
    url: 'https://x/',
    redirected: false,
    headers: () => headersOf(plan),
  };
  if (plan.arrival === 'never, without a body') return new (getResponseClass())(head, null);
  const body = receivedBody();
  body.seal({ clean: (error) => error, ended() {} });
  const send = (): void => {
    for (const piece of piecesOf(plan)) body.push(piece);
    body.push(null);
  };
  if (plan.arrival === 'before') send();
  else if (plan.arrival === 'later') void pause().then(send);
  else
    void sendSlowly(
      plan,
      (piece) => void body.push(piece),
      () => body.push(null),
      () => body.destroy(failure),
    );
  return new (getResponseClass())(head, body);
}

async function sendSlowly(
  plan: Plan,
  send: (piece: Buffer) => void,
  end: () => void,
  fail: () => void,
): Promise<void> {
  for (const piece of piecesOf(plan)) {
    await pause();
    send(piece);
    if (plan.arrival === 'cut short') return fail();
  }
  await pause();
  if (plan.arrival === 'cut short') fail();
  else end();
}

/** A response of Node with the same content. */
function ofNode(plan: Plan): Answer {
  const init = { status: plan.status, statusText: 'As set', headers: headersOf(plan) };
  if (plan.arrival === 'never, without a body') return new Response(null, init);
  let isOver = false;
  const body = new ReadableStream({
    type: 'bytes',
    start(controller) {
      const close = (): void => {
        if (isOver) return;
        controller.close();
        controller.byobRequest?.respond(0);
      };
      const send = (): void => {
        for (const piece of piecesOf(plan)) if (!isOver) controller.enqueue(new Uint8Array(piece));
        close();
      };
      if (plan.arrival === 'before') send();
      else if (plan.arrival === 'later') void pause().then(send);
      else
        void sendSlowly(
          plan,
          (piece) => {
            if (!isOver) controller.enqueue(new Uint8Array(piece));
          },
          close,
          () => controller.error(failure),
        );
    },
    cancel() {
      isOver = true;
    },
  });
  return new Response(body, init);
}

/** A step that takes longer does not end at all. */
const LONGEST_STEP_MS = 2_000;

async function seenBy(answer: Answer, plan: Plan): Promise<string[]> {
  const seen: string[] = [];
  for (const step of plan.steps) {
    const late = pauseFor(LONGEST_STEP_MS, 'does not end', { ref: false });
    try {
      seen.push(`${step}: ${JSON.stringify(await Promise.race([STEPS[step](answer), late]))}`);
    } catch (error) {
      seen.push(`${step}: ${messageOf(error)}`);
    }
  }
  return seen;
}

describe('the Response of a fetch', () => {
  it('B21: acts as a Response of Node, whatever code does with it', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        expect(await seenBy(ours(plan), plan)).toEqual(await seenBy(ofNode(plan), plan));
      }),
      { numRuns: 600, seed: 20_261_122 },
    );
  });

  it.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
    [600, false],
    [999, false],
  ])(
    'B21: with %i has this status, also in its clone and with its body, and ok is %s',
    async (status, ok) => {
      const answer = answerOf('text', { status });
      expect(answer).toMatchObject({ status, ok });
      expect(answer.clone()).toMatchObject({ status, ok });
      expect(answer.body).toBeInstanceOf(ReadableStream);
      expect(await answer.text()).toBe('text');
    },
  );

  it('B21: has the facts of its head, and the type of an answer of the same origin', () => {
    const facts = { url: 'https://x/a', redirected: true, statusText: 'As set' };
    expect(answerOf('', facts)).toMatchObject({ ...facts, type: 'basic' });
    expect(answerOf('', facts).clone()).toMatchObject({ ...facts, type: 'basic' });
  });

  it('B21: has the members of Response, with the same properties', async () => {
    // The class is made once, at the first call. So it is loaded anew.
    vi.resetModules();
    onTestFinished(() => void vi.resetModules());
    const { getResponseClass: made } = await import('../../../../lib/http/fetch/response-class.js');
    const Own = made();
    expect(shapeOf(Own.prototype)).toEqual(shapeOf(Response.prototype));
    expect(Object.getOwnPropertyNames(Own).toSorted()).toEqual(['length', 'name', 'prototype']);
    expect(Own.name).toBe('Response');
    expect([Object.getPrototypeOf(Own), Own.prototype.constructor]).toEqual([Response, Response]);
    const answer = new Own(HEAD, 'text');
    expect(answer).toBeInstanceOf(Response);
    expect(answer.body).toBeInstanceOf(ReadableStream);
    const clone = answer.clone();
    expect(await (await clone.blob()).slice(1).text()).toBe('ext');
    expect([answer.bodyUsed, clone.bodyUsed]).toEqual([false, true]);
    expect(() => Reflect.apply(Reflect.get(answer, 'blob') as () => void, {}, [])).toThrow(TypeError);
  });

  it.each(['text', 'json', 'arrayBuffer'] as const)(
    'B21: makes no headers and no Response of Node for %s()',
    async (method) => {
      const headers = vi.fn<() => []>(() => []);
      const answer = answerOf('{"a":"ü"}', { headers });
      vi.stubGlobal('Response', undefined);
      try {
        const got: unknown = await answer[method]();
        expect(got instanceof ArrayBuffer ? Buffer.from(got).toString() : got).toEqual(
          method === 'json' ? { a: 'ü' } : '{"a":"ü"}',
        );
        expect(answer.bodyUsed).toBe(true);
      } finally {
        vi.unstubAllGlobals();
      }
      expect(headers).not.toHaveBeenCalled();
      expect(await answer.text().catch(messageOf)).toMatch(/^TypeError: Body is unusable/);
    },
  );

  it('B21: adds the type of a body that is no received one, as Node does', async () => {
    const answer = answerOf('', {}, new URLSearchParams({ a: 'b' }));
    expect([...answer.headers]).toEqual([
      ['content-type', 'application/x-www-form-urlencoded;charset=UTF-8'],
    ]);
    expect(await answer.text()).toBe('a=b');
  });
});

const HEAD: ResponseHead = {
  status: 200,
  statusText: '',
  url: 'https://x/',
  redirected: false,
  headers: () => [],
};

/** A response whose text has arrived, or with another body. */
function answerOf(text: string, head: Partial<ResponseHead> = {}, other?: URLSearchParams): Response {
  const body = text === '' ? receivedBody() : receivedBody(text);
  body.push(null);
  return new (getResponseClass())({ ...HEAD, ...head }, other ?? body);
}

/** What code can find out about the members of a prototype, without calling them. */
function shapeOf(prototype: object): object {
  const shapes = Object.entries(Object.getOwnPropertyDescriptors(prototype)).map(([name, member]) => {
    const { value, ...rest } = Object.fromEntries(
      Object.entries(member).map(([key, one]) => [key, typeof one === 'function' ? typeof one : one]),
    ) as PropertyDescriptor;
    return [name, { ...rest, value, name: (member.value as { name?: string } | undefined)?.name }];
  });
  return Object.fromEntries(shapes) as object;
}
