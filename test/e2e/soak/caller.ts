import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { HttpService } from '@nestjs/axios';
import { type AxiosRequestConfig, isAxiosError } from 'axios';
import { lastValueFrom } from 'rxjs';
import { RequestRefusedError, TokenRequestError } from '../../../lib/index.js';
import { API_FAULTS, type ApiFault, CALL_TIMEOUT_MS, LARGEST_ANSWER } from './api-faults.js';
import type { ClientUnderTest } from './clients-under-test.js';
import { BODIES, type BodyKind, type CallReport } from './messages.js';
import { HANGS_AFTER_MS } from './rules.js';
import type { SeededRandom } from './seeded-random.js';

/** A call that was drawn from the seed. */
interface PlannedCall {
  readonly fault: ApiFault;
  readonly path: string;
  readonly kind: BodyKind;
  readonly bytes: Buffer;
  /** When the caller aborts the call, if at all. */
  readonly abortAfterMs: number | undefined;
}

/** The tokens of the simulator are JSON Web Tokens, which begin like this. Nothing else that the simulator sends does. */
const TOKEN_BEGINS = 'eyJ';
const ABORTING = 0.03;

let calls = 0;

/** Makes one call as an application would, and returns its outcome. */
export async function call(
  client: ClientUnderTest,
  http: HttpService,
  random: SeededRandom,
): Promise<CallReport> {
  const planned = plan(random);
  const startedAt = Date.now();
  const outcome = await outcomeOf(client, http, planned);
  const { fault, path, kind, abortAfterMs } = planned;
  return {
    client: client.name,
    fault: fault.name,
    path,
    body: kind,
    aborts: abortAfterMs !== undefined,
    startedAt,
    endedAt: Date.now(),
    outcome,
  };
}

function plan(random: SeededRandom): PlannedCall {
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

function outcomeOf(client: ClientUnderTest, http: HttpService, planned: PlannedCall): Promise<string> {
  const limit = planned.fault.timeoutMs ?? CALL_TIMEOUT_MS;
  const controller = new AbortController();
  const abortTimer =
    planned.abortAfterMs === undefined
      ? undefined
      : setTimeout(() => controller.abort(), planned.abortAfterMs);
  return new Promise((resolve) => {
    const guard = setTimeout(() => resolve('hangs'), limit + HANGS_AFTER_MS);
    const config = { ...request(planned), timeout: limit, signal: controller.signal };
    lastValueFrom(http.request<unknown>(config))
      .then(
        (response) => (showsToken(response) ? 'shows-the-token' : checkEcho(client, planned, response.data)),
        failure,
      )
      .then(resolve, (error: unknown) => resolve(String(error)))
      .finally(() => {
        clearTimeout(guard);
        clearTimeout(abortTimer);
      });
  });
}

function request({ path, kind, bytes }: PlannedCall): AxiosRequestConfig {
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

/** The simulator answers with what it received. That must be what was sent, at the right interface and environment. */
function checkEcho(client: ClientUnderTest, { path, kind, bytes }: PlannedCall, echo: unknown): string {
  const expected = {
    interface: client.interface,
    environment: client.environment,
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
  if (error.response && showsToken(error.response)) return 'shows-the-token';
  return String(
    error.code?.startsWith('ERR_BAD_RE') && error.response?.status && !brokeOff(error)
      ? error.response.status
      : error.code,
  );
}

/** A response that broke off has a status too, but the caller gets the code of the error. */
function brokeOff({ message }: Error): boolean {
  return !message.startsWith('Request failed with status code');
}

function showsToken({
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
