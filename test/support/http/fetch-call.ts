import { Readable } from 'node:stream';
import type { AxiosRequestConfig } from 'axios';
import type { FetchRequest } from '../../../lib/http/fetch/request.js';
import type { ProviderHttpService } from '../../../lib/http/provider-http.service.js';

/** What `fetch('/x')` asks for. */
export const PLAIN_REQUEST: FetchRequest = {
  url: '/x',
  isWholeUrl: false,
  method: 'GET',
  headers: undefined,
  body: undefined,
  unread: undefined,
  signal: undefined,
  redirect: 'follow',
};

/** The arguments of `fetch` for a request of axios, so that one table serves both clients. Options that only axios has are left out. */
export function fetchArguments({
  url = '',
  method,
  headers,
  data,
  signal,
}: AxiosRequestConfig): [string, RequestInit] {
  const isJson = isPlain(data);
  return [
    url,
    {
      ...(method !== undefined && { method }),
      headers: {
        ...(isJson && { 'content-type': 'application/json' }),
        ...(headers as Record<string, string>),
      },
      ...(data !== undefined && { body: isJson ? JSON.stringify(data) : (data as string) }),
      ...(data instanceof Readable && { duplex: 'half' as const }),
      ...(signal && { signal: signal as AbortSignal }),
    },
  ];
}

/** The settings of a client that a request of axios may have itself, but `fetch` takes only from the client. */
export function clientSettingsOf({ maxRedirects, timeout }: AxiosRequestConfig): object {
  return {
    ...(maxRedirects !== undefined && { maxRedirects }),
    ...(timeout !== undefined && { timeoutMs: timeout }),
  };
}

/** A call by `fetch` for a request of axios. The result has the form of axios, and a refused status is an error. */
export async function callByFetch(service: ProviderHttpService, request: AxiosRequestConfig) {
  const answer = await service.fetch(...fetchArguments(request));
  const { status, statusText } = answer;
  const text = await answer.text();
  const response = { status, statusText, headers: Object.fromEntries(answer.headers), data: text, answer };
  const isFine = request.validateStatus?.(status) ?? (status >= 200 && status < 300);
  if (!isFine) throw Object.assign(new Error(`The API answered ${status}.`), { response });
  return response;
}

function isPlain(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const prototype: unknown = Object.getPrototypeOf(data);
  return Array.isArray(data) || prototype === null || prototype === Object.prototype;
}
