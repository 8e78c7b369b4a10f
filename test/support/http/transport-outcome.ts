import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type AxiosInstance,
  type AxiosRequestConfig,
  type AxiosResponse,
  isAxiosError,
  isCancel,
} from 'axios';
import type { SeenRequest, WireServer } from './wire-server.js';

export interface ComparedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** What a caller gets and what the server got, in a form that can be compared between two adapters. */
export interface Outcome {
  readonly status?: number | undefined;
  readonly statusText?: string | undefined;
  readonly headers?: Record<string, unknown> | undefined;
  readonly data?: unknown;
  readonly request?: { readonly method: unknown; readonly path: unknown } | undefined;
  readonly error?: {
    readonly code: string | undefined;
    readonly message: string;
    readonly name: string;
    readonly isCancel: boolean;
    readonly hasConfig: boolean;
  };
  readonly seen: readonly ComparedRequest[];
}

/** Headers of the connection, which may differ between two adapters. */
const OF_THE_CONNECTION = new Set(['connection', 'keep-alive', 'date', 'transfer-encoding']);

export async function outcomeOf(
  client: AxiosInstance,
  config: AxiosRequestConfig,
  server: WireServer,
): Promise<Outcome> {
  server.seen = [];
  try {
    const response = await client.request(config);
    return { ...(await ofResponse(response, config)), seen: server.seen.map(ofRequest) };
  } catch (thrown) {
    if (!isAxiosError(thrown) && !isCancel(thrown)) {
      const { name, message } = thrown as Error;
      return {
        error: { code: undefined, message, name, isCancel: false, hasConfig: false },
        seen: server.seen.map(ofRequest),
      };
    }
    const error = thrown as import('axios').AxiosError;
    const answered = error.response ? await ofResponse(error.response, config) : {};
    return {
      ...answered,
      error: {
        code: error.code,
        message: error.message.replaceAll(String(server.port), '<port>'),
        name: error.name,
        isCancel: isCancel(error),
        hasConfig: error.config !== undefined,
      },
      seen: server.seen.map(ofRequest),
    };
  }
}

async function ofResponse(
  response: AxiosResponse,
  config: AxiosRequestConfig,
): Promise<Omit<Outcome, 'seen'>> {
  const { method, path } = response.request as { method: unknown; path: unknown };
  return {
    status: response.status,
    statusText: response.statusText,
    headers: Object.fromEntries(
      Object.entries(response.headers).filter(([name]) => !OF_THE_CONNECTION.has(name)),
    ),
    data: await ofData(response.data, config),
    request: { method, path },
  };
}

async function ofData(data: unknown, config: AxiosRequestConfig): Promise<unknown> {
  if (config.responseType === 'stream') {
    if (!(data instanceof Readable)) return { notAStream: typeof data };
    try {
      return { streamed: (await buffer(data)).toString('base64').slice(0, 2_000) };
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      return { broken: message, code };
    }
  }
  return Buffer.isBuffer(data) ? { bytes: data.toString('base64') } : data;
}

const BOUNDARY = /boundary=([^;]+)/;

/** Header lines are compared without regard to their order and case. */
function ofRequest({ method, url, headers, body }: SeenRequest): ComparedRequest {
  const boundary = BOUNDARY.exec(headers['content-type'] ?? '')?.[1];
  const hide = (text: string): string => (boundary ? text.replaceAll(boundary, '<boundary>') : text);
  return { method, url, headers: ofHeaders(headers, hide), body: hide(body.toString('latin1')) };
}

function ofHeaders(headers: IncomingHttpHeaders, hide: (text: string) => string): Record<string, string> {
  const { ':authority': authority, ...rest } = headers as Record<string, string>;
  const own = Object.entries({ ...rest, ...(authority && { host: authority }) }).filter(
    ([name]) => !name.startsWith(':'),
  );
  return Object.fromEntries(own.map(([name, value]) => [name, hide(value)]));
}
