import { Agent } from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type AxiosInstance, type AxiosResponse, isAxiosError, create } from 'axios';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProviderTransport } from '../../lib/config/options/provider-transport.js';
import { createProviderHttpClient, type ProviderHttpClient } from '../../lib/http/provider-http-client.js';
import { ClientTls } from '../../lib/net/client-tls.js';
import { systemClock } from '../../lib/time/clock.js';
import { answers, type AnswerPlan } from '../support/http/answer-plan.js';
import { stepsOf } from '../support/http/answer-steps.js';
import { FakeTokens, HTTP_DEFAULTS } from '../support/http/http-client.js';
import { pictureOf } from '../support/http/picture.js';
import { type CallPlan, callPlans, makeCall, type OPTIONS } from '../support/http/random-calls.js';
import { type Moment, type Script, ScriptedServer, type Step } from '../support/http/scripted-server.js';
import { runs, seed } from '../support/run/runs.js';

const RUNS = runs(200);
const SEED = seed();

/** The sources of the module. */
const TRANSPORTS: { [name: string]: () => ProviderTransport | undefined } = {
  'node:https': () => undefined,
};

/** The options of a call that both sides have. */
const COMPARED: (keyof typeof OPTIONS)[] = [
  'responseType',
  'responseEncoding',
  'timeout',
  'validateStatus',
  'maxContentLength',
  'maxBodyLength',
  'decompress',
  'transitional',
  'transformResponse',
  'paramsSerializer',
  'formSerializer',
  'allowAbsoluteUrls',
  'auth',
  'parseReviver',
  'onUploadProgress',
  'onDownloadProgress',
];

const TOKEN = 'Bearer canary-token-1';
/** Each form has another one. */
const BOUNDARY = /axios-[\d.]+-boundary-[\w-]{25}|-{26}[0-9a-f]{24}/g;

const calls = callPlans(COMPARED).filter(
  // The module refuses the address. Without headers, plain axios sends no token.
  ({ url, headers }) => url !== '/../up' && headers !== 'null',
);
/** The module takes its token out of errors. */
const plans = fc.record({
  call: calls,
  answer: answers.filter(
    ({ body, headers }) => !body.startsWith('token') && !headers.some(([, value]) => value === TOKEN),
  ),
});

/** The answers to one call. The last one is repeated. */
class Answers implements Script {
  readonly received: string[] = [];

  constructor(
    private readonly base: string,
    private readonly list: readonly (AnswerPlan | 'hold')[],
    /** Is aborted when the server holds its answer back. */
    private readonly atHold: AbortController,
  ) {}

  answer(request: string, index: number): readonly Step[] {
    const plan = this.list[Math.min(index, this.list.length - 1)];
    return plan === undefined || plan === 'hold'
      ? ['hold']
      : stepsOf(plan, request, { base: this.base, stop: undefined, readingMs: 0 });
  }

  onMoment(moment: Moment): void {
    if (moment === 'held') this.atHold.abort();
  }
}

/** More members of the config of a call. */
type More = (atHold: AbortSignal) => object;

interface Side {
  readonly segment: string;
  readonly baseURL: string;
  readonly axios: AxiosInstance;
}

/** What a server received: names in lower case, and Authorization at its own place. */
function received(requests: readonly string[], { segment }: Side): string {
  return requests
    .map((request) => {
      const end = request.indexOf('\r\n\r\n');
      const [first, ...lines] = request.slice(0, end).replaceAll(segment, 'side').split('\r\n');
      const headers = lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase())).toSorted();
      return [first, ...headers, request.slice(end)].join('\n').replaceAll(BOUNDARY, 'boundary');
    })
    .join('\n\n');
}

/** What the caller gets. `config` and `request` are the module's own. */
async function resultOf(call: Promise<unknown>, { segment }: Side): Promise<string> {
  let result: unknown;
  try {
    const { status, statusText, headers, data } = (await call) as AxiosResponse;
    result = { status, statusText, headers, data: await contentOf(data) };
  } catch (error) {
    if (!isAxiosError(error)) result = { error: (error as Error).name, message: (error as Error).message };
    else {
      const { code, message, status, response, cause } = error as typeof error & {
        cause?: { code?: string };
      };
      const { statusText, headers, data } = response ?? {};
      const shown = response && { statusText, headers, data: await contentOf(data) };
      result = { code, message, status, response: shown, cause: cause?.code };
    }
  }
  return pictureOf(result).replaceAll(segment, 'side');
}

async function contentOf(data: unknown): Promise<unknown> {
  if (!(data instanceof Readable)) return data;
  return buffer(data).catch((error: unknown) => ({ streamFailed: (error as NodeJS.ErrnoException).code }));
}

describe.each(Object.entries(TRANSPORTS))(
  'axiosRef on %s, and plain axios with the token as a header',
  (_, open) => {
    let server: ScriptedServer;
    let client: ProviderHttpClient;
    let plain: Side;
    let own: Side;
    let agent: Agent;

    beforeAll(async () => {
      server = await ScriptedServer.start();
      agent = new Agent({ ca: server.ca, keepAlive: true });
      const [ofPlain, ofOwn] = [`${server.url}/aaaa/v1`, `${server.url}/oooo/v1`];
      const shared = { timeout: 5_000, maxRedirects: 0 };
      const general = create({
        ...shared,
        baseURL: ofPlain,
        httpsAgent: agent,
        headers: { Authorization: TOKEN },
      });
      client = createProviderHttpClient({
        profile: {
          interface: 'easy',
          environment: 'sandbox',
          baseUrl: ofOwn,
          tls: new ClientTls({ ca: server.ca }),
        },
        http: { ...HTTP_DEFAULTS, timeoutMs: 5_000, retryUnauthorized: false, transport: open() },
        tokens: new FakeTokens(systemClock),
        clock: systemClock,
      });
      plain = { segment: 'aaaa', baseURL: ofPlain, axios: general };
      own = { segment: 'oooo', baseURL: ofOwn, axios: client.axios };
    });

    afterAll(async () => {
      agent.destroy();
      await client.close();
      await server.close();
    });

    async function outcome(side: Side, call: CallPlan, list: Answers['list'], more?: More): Promise<string> {
      const atHold = new AbortController();
      const script = new Answers(side.baseURL, list, atHold);
      server.serve(side.segment, script);
      const result = await resultOf(makeCall(side.axios as never, call, more?.(atHold.signal)), side);
      return `${received(script.received, side)}\n\n${result}`;
    }

    /** Ours and that of plain axios. */
    async function outcomes(call: CallPlan, list: Answers['list'], more?: More): Promise<[string, string]> {
      // A client may take a connection that the server is closing after a broken answer. So only the third difference counts.
      for (let tries = 1; ; tries += 1) {
        const expected = await outcome(plain, call, list, more);
        const actual = await outcome(own, call, list, more);
        if (actual === expected || tries === 3) return [actual, expected];
      }
    }

    it('B17: send the same bytes and give the same result', { timeout: 3_600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(plans, async ({ call, answer }) => {
          const [actual, expected] = await outcomes(call, [answer]);
          expect(actual).toBe(expected);
        }),
        { numRuns: RUNS, seed: SEED, timeout: 20_000, endOnFailure: Boolean(process.env['TEST_TIMES']) },
      );
    });

    const GET = {
      via: 'request',
      method: 'get',
      url: '/things',
      options: [],
      shape: 'plain',
    } as unknown as CallPlan;
    const OK: AnswerPlan = { status: 200, reason: 'OK', headers: [], body: 'object' };

    it.each([301, 302, 303, 307, 308])('B17: follow a %i to the same origin alike', async (status) => {
      for (const to of ['<base>/next', 'next?x=1', ''])
        for (const [method, body] of [['get'], ['post', 'object'], ['put', 'text']] as const) {
          const redirect: AnswerPlan = { ...OK, status, headers: [['Location', to]] };
          const call = { ...GET, method, body } as CallPlan;
          const [actual, expected] = await outcomes(call, [redirect, OK], () => ({ maxRedirects: 3 }));
          expect(actual).toBe(expected);
        }
    });

    it('B17: end a call without an answer alike', async () => {
      for (const more of [() => ({ timeout: 400 }), (signal: AbortSignal) => ({ signal })]) {
        const [actual, expected] = await outcomes(GET, ['hold'], more);
        expect(actual).toBe(expected);
      }
    });
  },
);
