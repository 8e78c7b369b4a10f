import { getEventListeners } from 'node:events';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { AxiosInstance, InternalAxiosRequestConfig } from 'axios';
import { generalCallsOf } from '../../support/http/call-paths.js';
import { stepsOf, type Stop } from './answer-steps.js';
import type { AnswerPlan } from './answer-plan.js';
import type { CallPlan, End } from './call-plan.js';
import type { PathClient } from './clients.js';
import { firstLook } from './first-looks.js';
import {
  DEFAULTS,
  type InstancePlan,
  REQUEST_INTERCEPTORS,
  type RequestInterceptor,
  RESPONSE_INTERCEPTORS,
} from './instance-plan.js';
import { knownObjects } from './known-objects.js';
import { type CallEnd, makeCall } from './made-call.js';
import type { Pair } from './pair.js';
import { plannedConfig, type PlannedConfig } from './planned-config.js';
import { type KnownObjects, portraitOf } from './portrait.js';
import type { Moment, Script, ScriptedServer } from './scripted-server.js';

/** What a call did, as text by subject. Equal texts mean equal outcomes. */
export interface Outcome {
  readonly sections: Readonly<Record<string, string>>;
  readonly usedDirectPath: boolean;
}

/** Each form has another one. */
const BOUNDARY =
  /provider-auth-[0-9a-f]{36}|-{26}[0-9a-f]{24}|axios-[\w.]+-boundary-[\w-]+|formdata-undici-\d+/g;
/** A call that takes longer does not end at all. */
const LONGEST_CALL_MS = 8_000;
/** A timeout does not end a stream, so the stream of an answer that never ends lasts until now. */
const LONGEST_STREAM_MS = 1_500;
/** How long a client may take to end the connection of a call that its caller ended. */
const CONNECTION_END_MS = 1_500;

/** The client reads the first bytes of an answer in this part of the timeout, before the caller ends the call in the body. */
export const READING_PART = 1 / 20;

/** Makes the planned call with one client, and describes everything that the server and the caller saw. */
export async function outcomeOf(
  client: PathClient,
  pair: Pair,
  server: ScriptedServer,
  timeoutMs: number,
): Promise<Outcome> {
  const { call, answers, instance } = pair;
  const { axios, tokens, baseUrl, segment } = client;
  tokens.follow(instance);
  if (instance.hasCalled) await firstCall(client, server);
  const notes: string[] = [];
  const removeInterceptors = prepare(axios, instance, notes);
  tokens.calls.length = 0;

  const planned = plannedConfig(call, baseUrl, timeoutMs);
  const known = knownObjects(axios, planned);
  const given = functionsIn(known);
  const script = new PlannedScript(answers, baseUrl, call.end, timeoutMs * READING_PART);
  server.serve(segment, script);
  const before = generalCallsOf(axios);
  const end = await callEnd(client, call, planned, script);
  const look = end.events.includes('unsubscribed') ? '' : firstLook(pair.look, end.value ?? end.error, known);
  const sections = {
    'server received': isUncertain(call.end) ? 'is not compared' : script.received.join('\n---\n'),
    events: [...end.events, ...notes].join('\n'),
    'first look': look,
    result: (await resultOf(end, known)).join('\n'),
    given: givenAfter(planned, axios, given).join('\n'),
    tokens: isUncertain(call.end) ? 'are not compared' : tokens.calls.join('\n'),
    connection: await connectionAfter(script),
  };
  removeInterceptors();
  return {
    sections: comparable(sections, segment),
    usedDirectPath: generalCallsOf(axios) === before,
  };
}

/** Without the names that differ between two sides or two forms. All these names have the same length. */
export function comparable(sections: Outcome['sections'], segment: string): Outcome['sections'] {
  return Object.fromEntries(
    Object.entries(sections).map(([name, text]) => [
      name,
      text.replaceAll(segment, 'SIDE').replaceAll(BOUNDARY, '<boundary>'),
    ]),
  );
}

async function firstCall(client: PathClient, server: ScriptedServer): Promise<void> {
  server.serve(client.segment, new PlannedScript([], client.baseUrl));
  await client.axios.get('/before').catch(() => undefined);
}

/** Changes the client as the plan says. Returns a function that removes the interceptors. */
function prepare(axios: AxiosInstance, plan: InstancePlan, notes: string[]): () => void {
  const { request, response } = axios.interceptors;
  const removals: (() => void)[] = [];
  for (const name of plan.defaults) {
    try {
      DEFAULTS[name](axios.defaults);
    } catch (error) {
      // One change can freeze what the next one changes.
      notes.push(String(error));
    }
  }
  for (const name of plan.requestInterceptors) {
    const interceptor: RequestInterceptor = REQUEST_INTERCEPTORS[name];
    const { run, rejected, options } = interceptor;
    const noted =
      run &&
      ((config: InternalAxiosRequestConfig): ReturnType<typeof run> => {
        notes.push('request interceptor', ...portraitOf(config, knownObjects(axios), 'config'));
        return run(config);
      });
    const id = request.use(noted, rejected, options);
    removals.push(() => request.eject(id));
  }
  for (const name of plan.responseInterceptors) {
    const noted = (kind: string, next: (value: never) => unknown) => (value: unknown) => {
      notes.push(kind, ...portraitOf(value, knownObjects(axios)));
      return next(value as never) as never;
    };
    const [fulfilled, rejected] = RESPONSE_INTERCEPTORS[name];
    const id = response.use(
      fulfilled && noted('response interceptor', fulfilled),
      rejected && noted('error interceptor', rejected),
    );
    removals.push(() => response.eject(id));
  }
  return () => {
    for (const remove of removals) remove();
  };
}

async function callEnd(
  client: PathClient,
  call: CallPlan,
  planned: PlannedConfig,
  script: PlannedScript,
): Promise<CallEnd> {
  if (call.repeats && call.end === undefined) {
    const { value, error } = await makeCall(client, call, planned).ended;
    streamIn(value ?? error)?.destroy();
  }
  const made = makeCall(client, call, planned);
  if (call.changesConfig) changeConfig(planned);
  const finish = (): void => {
    planned.end();
    if (call.end?.startsWith('unsubscribe')) made.unsubscribe();
  };
  if (call.end?.endsWith('at once')) finish();
  script.onStop = finish;
  const late = pauseFor(LONGEST_CALL_MS, { events: ['does not end'] }, { ref: false });
  return Promise.race([made.ended, late]);
}

/** The call is under way. What its caller changes now comes too late. */
function changeConfig({ config, body }: PlannedConfig): void {
  const { headers, params } = config as { headers?: object; params?: object };
  for (const part of [headers, params, body, config]) {
    const isChangeable = typeof part === 'object' && part !== null && !(part instanceof Readable);
    if (isChangeable) Reflect.set(part, 'changed', 'too late');
  }
  if (Buffer.isBuffer(body)) body.fill(0);
}

/** Whether the call can end before or after the server has its request. */
function isUncertain(end: End | undefined): boolean {
  return end?.endsWith('at once') === true;
}

async function resultOf({ value, error }: CallEnd, known: KnownObjects): Promise<string[]> {
  const lines = portraitOf(value ?? error, known, 'result');
  const stream = streamIn(value ?? error);
  if (stream) lines.push(`stream: ${await contentOf(stream)}`);
  return lines;
}

/** The members through which a result leads to the body of a response, also after the interceptors of a plan. */
const WAYS_TO_DATA = ['data', 'response', 'recovered', 'cause'];

/** The streamed body of a result. If no code reads it, its connection stays in use. */
function streamIn(result: unknown): Readable | undefined {
  if (result instanceof Readable) return result;
  if (typeof result !== 'object' || result === null) return undefined;
  for (const name of WAYS_TO_DATA) {
    const stream = streamIn(Reflect.getOwnPropertyDescriptor(result, name)?.value);
    if (stream) return stream;
  }
  return undefined;
}

async function contentOf(stream: Readable): Promise<string> {
  const tooLate = setTimeout(() => stream.destroy(new Error('does not end')), LONGEST_STREAM_MS);
  try {
    return (await buffer(stream)).toString('base64').slice(0, 400);
  } catch (error) {
    const { name, message, code } = error as NodeJS.ErrnoException;
    return `${name} ${code}: ${message}`;
  } finally {
    clearTimeout(tooLate);
  }
}

/** What the call changed in the things of its caller. */
function givenAfter({ config, body }: PlannedConfig, axios: AxiosInstance, known: KnownObjects): string[] {
  const { signal } = config;
  const listeners = signal instanceof AbortSignal ? getEventListeners(signal, 'abort').length : 0;
  return [
    ...portraitOf(config, known, 'config'),
    ...(body instanceof Readable ? [] : portraitOf(body, known, 'body')),
    `listeners of the signal: ${listeners}`,
    ...portraitOf(axios.defaults, adapterOf(axios), 'defaults'),
  ];
}

/** Some plans create functions for each call. */
function functionsIn(known: KnownObjects): KnownObjects {
  return new Map([...known].filter(([one]) => typeof one === 'function'));
}

function adapterOf({ defaults: { adapter } }: AxiosInstance): KnownObjects {
  return new Map(typeof adapter === 'function' ? [[adapter, "the client's adapter"]] : []);
}

/** Whether the client has ended the connection of a call that its caller ended. */
export async function connectionAfter(script: PlannedScript): Promise<string> {
  if (!script.isHeld) return 'is not held';
  const late = pauseFor(CONNECTION_END_MS, false, { ref: false });
  return (await Promise.race([script.released.then(() => true), late])) ? 'ended' : 'still open';
}

const PLAIN: AnswerPlan = { status: 200, reason: 'OK', headers: [], body: 'object' };

/** The answers of a plan, and the moments at which the caller ends the call. */
export class PlannedScript implements Script {
  readonly received: string[] = [];
  onStop: (() => void) | undefined;
  isHeld = false;
  readonly released: Promise<void>;
  #release: () => void = () => undefined;
  readonly #stop: Stop;

  constructor(
    private readonly answers: readonly AnswerPlan[],
    private readonly baseUrl: string,
    end?: End,
    private readonly readingMs = 0,
  ) {
    this.#stop = end?.endsWith('at request')
      ? 'at-request'
      : end?.endsWith('in body')
        ? 'in-body'
        : undefined;
    this.released = new Promise((resolve) => (this.#release = resolve));
  }

  answer(request: string, index: number): ReturnType<typeof stepsOf> {
    const isLast = index >= this.answers.length - 1;
    const plan = (isLast ? this.answers.at(-1) : this.answers[index]) ?? PLAIN;
    const stop = isLast ? this.#stop : undefined;
    return stepsOf(plan, request, { base: this.baseUrl, stop, readingMs: this.readingMs });
  }

  onMoment(moment: Moment): void {
    if (moment === 'held') this.isHeld = true;
    else if (moment === 'released') this.#release();
    const isStop = moment === 'held' ? this.#stop === 'at-request' : moment === 'in-body';
    if (isStop) this.onStop?.();
  }
}
