import type { AxiosInstance, AxiosRequestConfig } from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswerPlan } from './answer-plan.js';
import { stepsOf } from './answer-steps.js';
import { PATHS, type Side } from './builds.js';
import { createClient, type TransportName } from './clients.js';
import { portraitOf } from './portrait.js';
import { ScriptedServer } from './scripted-server.js';

const ANSWER: AnswerPlan = { status: 500, reason: 'Failed', headers: [], body: 'object' };
const TRANSPORTS: readonly TransportName[] = ['axios', 'undici'];

/** The name that a stack must show. */
async function callOfTheApplication(axios: AxiosInstance, config: AxiosRequestConfig): Promise<unknown> {
  return await axios.request(config);
}

/** The random calls of `same-result.spec.ts` run without stacks, because the frames in between differ. */
describe.each(TRANSPORTS)('a client whose requests are sent by %s', (transport) => {
  let server: ScriptedServer;

  beforeAll(async () => {
    server = await ScriptedServer.start();
  });

  afterAll(() => server.close());

  function given(side: Side, answer: AnswerPlan = ANSWER): AxiosInstance {
    const { axios, segment, baseUrl } = createClient({ server, transport, side, slot: 1 });
    server.serve(segment, {
      received: [],
      answer: (request) => stepsOf(answer, request, { base: baseUrl, stop: undefined, readingMs: 0 }),
      onMoment: () => undefined,
    });
    return axios;
  }

  const failures: Record<string, [AxiosRequestConfig, AnswerPlan]> = {
    'a failed status': [{ url: '/x' }, ANSWER],
    'a failed status with a body': [{ url: '/x', method: 'post', data: { a: 1 } }, ANSWER],
    'a reset connection': [{ url: '/x' }, { ...ANSWER, fault: 'reset-before-headers' }],
    'an address elsewhere': [{ url: 'https://elsewhere.example/' }, ANSWER],
    'a response that is too large': [{ url: '/x', maxContentLength: 1 }, ANSWER],
  };

  it.each(PATHS.flatMap((side) => Object.keys(failures).map((name) => [name, side.name, side] as const)))(
    'B17: the stack of an error shows the caller, for %s on the %s path',
    async (name, _, side) => {
      const [config, answer] = failures[name]!;
      const error: unknown = await callOfTheApplication(given(side, answer), config).catch(
        (thrown: unknown) => thrown,
      );
      expect((error as Error).stack).toContain(callOfTheApplication.name);
    },
  );

  const INTERCEPTED: Record<string, (axios: AxiosInstance) => unknown> = {
    'a synchronous interceptor': ({ interceptors }) =>
      interceptors.request.use((config) => config, null, { synchronous: true }),
    'an interceptor': ({ interceptors }) => interceptors.request.use((config) => config),
    'an interceptor for responses': ({ interceptors }) => interceptors.response.use((response) => response),
    'a condition that throws': ({ interceptors }) =>
      interceptors.request.use((config) => config, null, {
        runWhen: () => {
          throw new Error('no');
        },
      }),
  };

  it.each(PATHS.flatMap((side) => Object.keys(INTERCEPTED).map((name) => [name, side.name, side] as const)))(
    'B17: the stack of an error shows the caller, with %s on the %s path',
    async (name, _, side) => {
      const axios = given(side);
      INTERCEPTED[name]!(axios);
      const error: unknown = await callOfTheApplication(axios, { url: '/x' }).catch(
        (thrown: unknown) => thrown,
      );
      expect((error as Error).stack).toContain(callOfTheApplication.name);
    },
  );

  it('B17: axiosRef itself has the same members on both paths', () => {
    // Each client has its own functions.
    const [general, express] = PATHS.map((side) =>
      portraitOf(given(side), new Map())
        .join('\n')
        .replaceAll(/#\d+/g, '')
        .replaceAll(/[wu]001/g, 'SIDE'),
    );
    expect(express).toBe(general);
  });
});
