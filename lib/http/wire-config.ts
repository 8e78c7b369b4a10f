import { randomBytes } from 'node:crypto';
import type { AxiosHeaders, InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import { headerName } from './own-credentials.js';
import { isFormData } from './replayable-body.js';

/** Marks what came along the road. A symbol, so that adapters which copy a config keep it. */
const CAME_ALONG_THE_ROAD = Symbol('nestjs-provider-auth');

/** The copy of a config that an adapter gets: what must not be seen lives only here (B12). */
export type WireConfig = InternalAxiosRequestConfig & { [CAME_ALONG_THE_ROAD]?: true };

/**
 * Onto a blank without `Object.prototype` in its chain, so that a polluted one adds nothing. Key by key, which is three
 * times as fast as any other way to copy what axios makes.
 */
export function wireConfig(config: InternalAxiosRequestConfig, blank: object): WireConfig {
  const wire = blank as WireConfig;
  copyOnto(wire, config);
  const headers = Object.create(Object.getPrototypeOf(config.headers) as object) as AxiosHeaders;
  wire.headers = Object.assign(headers, config.headers);
  wire[CAME_ALONG_THE_ROAD] = true;
  return wire;
}

export function cameAlongTheRoad(config: object): boolean {
  return CAME_ALONG_THE_ROAD in config;
}

export function authorize({ headers }: WireConfig, authorization: string): void {
  headers[headerName(headers, 'authorization') ?? AUTHORIZATION_HEADER] = authorization;
}

/**
 * A content type with a boundary of our own for a form: axios draws another one for each attempt, and a resend repeats
 * the request byte for byte (B4).
 */
export function fixedFormType({ data, headers }: InternalAxiosRequestConfig): string | undefined {
  if (!isFormData(data) || /boundary=/i.test(String(headers.getContentType()))) return undefined;
  return `multipart/form-data; boundary=provider-auth-${randomBytes(18).toString('hex')}`;
}

function copyOnto<T extends object>(target: T, source: T): void {
  for (const name of Object.keys(source) as (keyof T)[]) target[name] = source[name];
  for (const name of Object.getOwnPropertySymbols(source) as (keyof T)[]) target[name] = source[name];
}
