import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { CanaryScanner, type Leak } from '../../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../../support/secrets/logger-renderings.js';
import { renderings } from '../../support/secrets/renderings.js';
import type { TestEnvironment } from './scenarios/test-environment.js';

/** Node publishes on this channel when a request has arrived at a server of this process. Our call is then under way. */
const ARRIVED = 'http.server.request.start';

/** A stream may never end. The recorder stops to read after so many bytes. */
const LONGEST_BODY = 100_000;

/**
 * Records all that a caller can see of a call: the results, and the arguments of each hook of axios. It searches each
 * value at once, again whenever a request arrives at a server, and at the end, then also in the output of each logger.
 */
export class Recorder {
  readonly #recorded = new Map<unknown, string>();
  readonly #results = new Set<unknown>();
  readonly #leaks: Leak[] = [];
  readonly #known = new Set<string>();
  readonly #scanner = new CanaryScanner({}, loggerRenderings);
  readonly #scanRecorded = (): void => {
    const [scanner, seen] = [this.#scannerWithAllCanaries(), new Set<object>()];
    for (const [value, name] of this.#recorded)
      this.#addLeaks(scanner.scanReach(value, `${name} on the way`, seen));
  };

  constructor(private readonly testEnvironment: TestEnvironment) {
    subscribe(ARRIVED, this.#scanRecorded);
  }

  /** Ends the searches that run when a request arrives. */
  stop(): void {
    unsubscribe(ARRIVED, this.#scanRecorded);
  }

  record(name: string, value: unknown): void {
    if (value === undefined || value === null || this.#recorded.has(value)) return;
    this.#recorded.set(value, name);
    this.#addLeaks(this.#scannerWithAllCanaries().scanReach(value, name));
  }

  /** A result does not change any more, so it is searched only at the end. */
  recordResult(name: string, value: unknown): void {
    this.#results.add(value);
    if (!this.#recorded.has(value)) this.#recorded.set(value, name);
  }

  /** Adds interceptors as an application does. */
  addInterceptors(instance: AxiosInstance): void {
    instance.interceptors.request.use((config) => {
      this.record('config of the request interceptor', config);
      return config;
    });
    instance.interceptors.response.use(
      (response) => {
        this.recordResult('response of the response interceptor', response);
        return response;
      },
      (error: unknown) => {
        this.recordResult('error of the response interceptor', error);
        throw error;
      },
    );
  }

  /** The request with all hooks that axios offers. */
  withHooks(request: AxiosRequestConfig, { progress }: { progress: boolean }): AxiosRequestConfig {
    const record = this.record.bind(this);
    const { validateStatus = axios.defaults.validateStatus } = request;
    const hook = (name: string) =>
      function (this: unknown, data: unknown, ...rest: unknown[]): unknown {
        record(`this of ${name}`, this);
        for (const one of [data, ...rest]) record(`argument of ${name}`, one);
        return data;
      };
    const onProgress = { onUploadProgress: hook('upload'), onDownloadProgress: hook('download') };
    return {
      ...request,
      ...(progress && onProgress),
      transformRequest: around('transformRequest', request, hook),
      transformResponse: around('transformResponse', request, hook),
      validateStatus: (status) => validateStatus?.(status) ?? true,
    };
  }

  /** Records a response. If its body is a stream, it also reads the stream. */
  async recordResponse(response: AxiosResponse | Response): Promise<void> {
    this.recordResult('response', response);
    if (response instanceof Response) return this.recordFetched(response);
    await this.recordBody(response);
  }

  /** The body may repeat the token, because a stream is not searched. The memory around its bytes may not. */
  private async recordFetched(response: Response): Promise<void> {
    const { url, statusText, headers, body } = response;
    this.recordResult('facts of the response', { url, statusText, headers: [...headers] });
    try {
      let length = 0;
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        const { buffer, byteOffset, byteLength } = chunk;
        this.record('memory before a chunk', buffer.slice(0, byteOffset));
        this.record('memory after a chunk', buffer.slice(byteOffset + byteLength));
        if (length > LONGEST_BODY) break;
      }
    } catch (error) {
      this.recordResult('error of the body', error);
    }
    this.#addLeaks(this.#scannerWithAllCanaries().scanReach(response, 'response read to its end'));
  }

  async recordError(error: unknown): Promise<void> {
    this.recordResult('error', error);
    const { response } = error as { response?: AxiosResponse };
    if (response) await this.recordBody(response);
  }

  /** All leaks in all recorded values. Results are also printed by each logger. */
  leaks(): Leak[] {
    const [scanner, seen] = [this.#scannerWithAllCanaries(), new Set<object>()];
    for (const [value, name] of this.#recorded) {
      const isResult = this.#results.has(value);
      this.#addLeaks(isResult ? scanner.scan(value, name, seen) : scanner.scanReach(value, name, seen));
    }
    return this.#leaks;
  }

  /** The leaks in what results lead to, without loggers. The results of a plain client lead to most of the process. */
  leaksOfResultsInReach(): Leak[] {
    return this.results.flatMap((value) =>
      this.#scannerWithAllCanaries().scanReach(value, this.#recorded.get(value)),
    );
  }

  /** The ways to print a result, in two lists: `showing` ones show a secret, `silent` ones do not. */
  renderingsThatShow(canary: string): { showing: string[]; silent: string[] } {
    const showing: string[] = [];
    const silent: string[] = [];
    for (const { how, text } of this.results.flatMap((value) => [
      ...renderings(value),
      ...loggerRenderings(value),
    ])) {
      const shown = this.#scannerWithAllCanaries()
        .scanText(text)
        .some((leak) => leak.canary.startsWith(canary));
      (shown ? showing : silent).push(how);
    }
    return { showing, silent };
  }

  /** All leaks in a text. */
  leaksOf(text: string, name: string): Leak[] {
    return this.#scannerWithAllCanaries().scanText(text, name);
  }

  /** The results of the call: what a caller may log. */
  get results(): readonly unknown[] {
    return [...this.#results];
  }

  private async recordBody({ data }: AxiosResponse): Promise<void> {
    const stream: unknown = data;
    if (!(stream instanceof Readable) && !(stream instanceof ReadableStream)) return;
    try {
      let length = 0;
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        this.record('chunk', chunk);
        if (length > LONGEST_BODY) break;
      }
    } catch (error) {
      this.recordResult('error of the stream', error);
    }
    this.#addLeaks(this.#scannerWithAllCanaries().scanReach(stream, 'stream read to its end'));
  }

  /** Adds the tokens that were issued since the last search. */
  #scannerWithAllCanaries(): CanaryScanner {
    for (const [name, value] of this.testEnvironment.canaries()) {
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      this.#scanner.add(name, value);
    }
    return this.#scanner;
  }

  #addLeaks(leaks: readonly Leak[]): void {
    this.#leaks.push(...leaks);
  }
}

type Hook = (this: unknown, data: unknown, ...rest: unknown[]) => unknown;

/** The transforms that axios would use, with a hook before and after them. */
function around(
  name: 'transformRequest' | 'transformResponse',
  request: AxiosRequestConfig,
  hook: (name: string) => Hook,
): Hook[] {
  const inForce = request[name] ?? axios.defaults[name] ?? [];
  return [hook(name), ...([inForce].flat() as Hook[]), hook(`${name}, afterwards,`)];
}
