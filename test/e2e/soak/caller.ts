import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { HttpService } from '@nestjs/axios';
import { type AxiosRequestConfig, isAxiosError } from 'axios';
import { lastValueFrom } from 'rxjs';
import { RequestRefusedError, TokenRequestError } from '../../../lib/index.js';
import { API_FAULTS, type ApiFault, CALL_TIMEOUT_MS, LARGEST_ANSWER } from './api-faults.js';
import type { Lane } from './lanes.js';
import { BODIES, type BodyKind, type CallReport } from './messages.js';
import { HANGS_AFTER_MS } from './rules.js';
import type { SeededRandom } from './seeded-random.js';

/** A call as the seed wants it. */
interface Planned {
  readonly fault: ApiFault;
  readonly path: string;
  readonly kind: BodyKind;
  readonly bytes: Buffer;
  /** When the caller loses patience, if ever. */
  readonly abortAfterMs: number | undefined;
}

/** The tokens of the simulator are JSON Web Tokens: this is how they begin, and nothing else that it sends does. */
const TOKEN_BEGINS = 'eyJ';
const ABORTING = 0.03;

let calls = 0;

/** Makes one call as an application would, and tells what came of it. */
export async function call(lane: Lane, http: HttpService, random: SeededRandom): Promise<CallReport> {
  const planned = plan(random);
  const startedAt = Date.now();
  const outcome = await settled(lane, http, planned);
  const { fault, path, kind, abortAfterMs } = planned;
  return {
    lane: lane.name,
    fault: fault.name,
    path,
    body: kind,
    aborts: abortAfterMs !== undefined,
    startedAt,
    endedAt: Date.now(),
    outcome,
  };
}

function plan(random: SeededRandom): Planned {
  const fault = random.weighted(API_FAULTS);
  const kind = random.one(BODIES);
  const text = JSON.stringify({ n: calls, note: 'ü'.repeat(Math.floor(random.between(1, 2_000))) });
  return {
    fault,
    path: `/${fault.name}/${(calls += 1)}`,
    kind,
    bytes: kind === 'none' ? Buffer.alloc(0) : Buffer.from(text),
    abortAfterMs: random.next() < ABORTING ? random.between(0, 60) : undefined,
  };
}

function settled(lane: Lane, http: HttpService, planned: Planned): Promise<string> {
  const limit = planned.fault.timeoutMs ?? CALL_TIMEOUT_MS;
  const controller = new AbortController();
  const impatience =
    planned.abortAfterMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(), planned.abortAfterMs);
  return new Promise((resolve) => {
    const guard = setTimeout(() => resolve('hangs'), limit + HANGS_AFTER_MS);
    const config = { ...request(planned), timeout: limit, signal: controller.signal };
    lastValueFrom(http.request<unknown>(config))
      .then(
        (response) => (tells(response) ? 'tells-the-token' : judged(lane, planned, response.data)),
        failure,
      )
      .then(resolve, (error: unknown) => resolve(String(error)))
      .finally(() => {
        clearTimeout(guard);
        clearTimeout(impatience);
      });
  });
}

function request({ path, kind, bytes }: Planned): AxiosRequestConfig {
  const config = { url: path, maxContentLength: LARGEST_ANSWER };
  if (kind === 'none') return { ...config, method: 'GET' };
  const data =
    kind === 'json'
      ? (JSON.parse(bytes.toString()) as object)
      : kind === 'stream'
        ? Readable.from([bytes])
        : bytes;
  return { ...config, method: 'POST', data };
}

/** The simulator says what arrived: it has to be what was sent, where it was sent to. */
function judged(lane: Lane, { path, kind, bytes }: Planned, echo: unknown): string {
  const expected = {
    interface: lane.interface,
    environment: lane.environment,
    method: kind === 'none' ? 'GET' : 'POST',
    path,
    bodyLength: bytes.length,
    bodySha256: createHash('sha256').update(bytes).digest('hex'),
  };
  return JSON.stringify(echo) === JSON.stringify(expected) ? 'ok' : 'not-the-echo';
}

function failure(error: unknown): string {
  if (error instanceof TokenRequestError || error instanceof RequestRefusedError) return error.code;
  if (!isAxiosError(error)) return String(error);
  if (error.response && tells(error.response)) return 'tells-the-token';
  return String(
    error.code?.startsWith('ERR_BAD_RE') && error.response?.status && !broke(error)
      ? error.response.status
      : error.code,
  );
}

/** An answer that broke off has a status too, but it is not what the caller is told. */
function broke({ message }: Error): boolean {
  return !message.startsWith('Request failed with status code');
}

function tells({
  data,
  headers,
  statusText,
}: {
  data: unknown;
  headers: object;
  statusText: string;
}): boolean {
  return JSON.stringify([data, headers, statusText]).includes(TOKEN_BEGINS);
}
