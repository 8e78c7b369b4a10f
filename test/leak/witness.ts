import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import axios, { type AxiosInstance, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { CanaryScanner, type Leak } from '../support/secrets/canary-scanner.js';
import { loggerRenderings } from '../support/secrets/logger-renderings.js';
import { renderings } from '../support/secrets/renderings.js';
import type { World } from './situations/world.js';

/** Published when a request has arrived at a server of this process: ours is under way then. */
const ARRIVED = 'http.server.request.start';

/** Whatever is kept open longer than any test would want to read on. */
const LONGEST_BODY = 100_000;

/**
 * Sees all that a caller can see of a call: what the results are, and what each hook of axios is given. What it has seen
 * it searches at once, again whenever a request arrives at a server, and in the end, by every logger too.
 */
export class Witness {
  readonly #seen = new Map<unknown, string>();
  readonly #results = new Set<unknown>();
  readonly #leaks: Leak[] = [];
  readonly #known = new Set<string>();
  readonly #scanner = new CanaryScanner({}, loggerRenderings);
  readonly #look = (): void => {
    for (const [value, name] of this.#seen) this.#note(this.#upToDate.scanReach(value, `${name} on the way`));
  };

  constructor(private readonly world: World) {
    subscribe(ARRIVED, this.#look);
  }

  saw(name: string, value: unknown): void {
    if (value === undefined || value === null || this.#seen.has(value)) return;
    this.#seen.set(value, name);
    this.#note(this.#upToDate.scanReach(value, name));
  }

  /** It will be searched in the end: nothing happens to it any more. */
  sawResult(name: string, value: unknown): void {
    this.#results.add(value);
    if (!this.#seen.has(value)) this.#seen.set(value, name);
  }

  /** As the interceptors of an application. */
  listenTo(instance: AxiosInstance): void {
    instance.interceptors.request.use((config) => {
      this.saw('config of the request interceptor', config);
      return config;
    });
    instance.interceptors.response.use(
      (response) => {
        this.sawResult('response of the response interceptor', response);
        return response;
      },
      (error: unknown) => {
        this.sawResult('error of the response interceptor', error);
        throw error;
      },
    );
  }

  /** The request, with every hook taken that axios offers. */
  hookedInto(request: AxiosRequestConfig, { progress }: { progress: boolean }): AxiosRequestConfig {
    const saw = this.saw.bind(this);
    const { validateStatus = axios.defaults.validateStatus } = request;
    const hook = (name: string) =>
      function (this: unknown, data: unknown, ...rest: unknown[]): unknown {
        saw(`this of ${name}`, this);
        for (const one of [data, ...rest]) saw(`argument of ${name}`, one);
        return data;
      };
    const onProgress = { onUploadProgress: hook('upload'), onDownloadProgress: hook('download') };
    return {
      ...request,
      ...(progress && onProgress),
      transformRequest: around('transformRequest', request, hook),
      transformResponse: around('transformResponse', request, hook),
      validateStatus: (status) => validateStatus?.(status) ?? true,
      beforeRedirect: (...given) => {
        for (const one of given) saw('argument of beforeRedirect', one);
      },
    };
  }

  /** What came of the call, and of the body if it is a stream. */
  async sawResponse(response: AxiosResponse): Promise<void> {
    this.sawResult('response', response);
    await this.sawBody(response);
  }

  async sawError(error: unknown): Promise<void> {
    this.sawResult('error', error);
    const { response } = error as { response?: AxiosResponse };
    if (response) await this.sawBody(response);
  }

  /** Every secret in anything seen: what was given to hooks by its reach, and the results by every logger too. */
  leaks(): Leak[] {
    unsubscribe(ARRIVED, this.#look);
    const scanner = this.#upToDate;
    for (const [value, name] of this.#seen) {
      this.#note(this.#results.has(value) ? scanner.scan(value, name) : scanner.scanReach(value, name));
    }
    return this.#leaks;
  }

  /** What results lead to, without what loggers make of it: most of a process is in reach of a plain client. */
  leaksOfResultsInReach(): Leak[] {
    unsubscribe(ARRIVED, this.#look);
    return this.results.flatMap((value) => this.#upToDate.scanReach(value, this.#seen.get(value)));
  }

  /** The ways to print a result that show a secret, and those that do not. */
  waysThatShow(canary: string): { telling: string[]; blind: string[] } {
    unsubscribe(ARRIVED, this.#look);
    const telling: string[] = [];
    const blind: string[] = [];
    for (const { how, text } of this.results.flatMap((value) => [
      ...renderings(value),
      ...loggerRenderings(value),
    ])) {
      const shown = this.#upToDate.scanText(text).some((leak) => leak.canary.startsWith(canary));
      (shown ? telling : blind).push(how);
    }
    return { telling, blind };
  }

  /** Every secret in a text. */
  leaksOf(text: string, name: string): Leak[] {
    return this.#upToDate.scanText(text, name);
  }

  /** What came of the call: what a caller logs. */
  get results(): readonly unknown[] {
    return [...this.#results];
  }

  private async sawBody({ data }: AxiosResponse): Promise<void> {
    const stream: unknown = data;
    if (!(stream instanceof Readable) && !(stream instanceof ReadableStream)) return;
    try {
      let length = 0;
      for await (const chunk of stream as AsyncIterable<Uint8Array>) {
        length += chunk.length;
        this.saw('chunk', chunk);
        if (length > LONGEST_BODY) break;
      }
    } catch (error) {
      this.sawResult('error of the stream', error);
    }
    this.#note(this.#upToDate.scanReach(stream, 'stream read to its end'));
  }

  /** Tokens are issued while the witness looks. */
  get #upToDate(): CanaryScanner {
    for (const [name, value] of this.world.canaries()) {
      if (this.#known.has(value)) continue;
      this.#known.add(value);
      this.#scanner.add(name, value);
    }
    return this.#scanner;
  }

  #note(leaks: readonly Leak[]): void {
    this.#leaks.push(...leaks);
  }
}

type Hook = (this: unknown, data: unknown, ...rest: unknown[]) => unknown;

/** The transforms that would be in force, with a look before and after. */
function around(
  name: 'transformRequest' | 'transformResponse',
  request: AxiosRequestConfig,
  hook: (name: string) => Hook,
): Hook[] {
  const inForce = request[name] ?? axios.defaults[name] ?? [];
  return [hook(name), ...([inForce].flat() as Hook[]), hook(`${name}, afterwards,`)];
}
