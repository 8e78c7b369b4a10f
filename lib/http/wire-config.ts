import { randomBytes } from 'node:crypto';
import type { AxiosHeaders, InternalAxiosRequestConfig } from 'axios';
import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';
import { headerName } from './own-credentials.js';
import { isFormData } from './replayable-body.js';

/** Marks what came along the road. A symbol, so that adapters which copy a config keep it. */
const CAME_ALONG_THE_ROAD = Symbol('nestjs-provider-auth');

/** What a config carries only on the wire, where no caller sees it. */
export interface WireParts {
  readonly authorization: string | undefined;
  /** Replaces the content type of a form, see `fixedFormType`. */
  readonly formType: string | undefined;
  readonly settings: object;
}

/**
 * The copy of a config that an adapter gets: what must not be seen lives only here (B12). Without a prototype, so that a
 * polluted `Object.prototype` adds nothing to it.
 */
export function wireConfig(config: InternalAxiosRequestConfig, parts: WireParts): InternalAxiosRequestConfig {
  const headers = copyOf(config.headers);
  if (parts.authorization !== undefined) {
    headers[headerName(headers, 'authorization') ?? AUTHORIZATION_HEADER] = parts.authorization;
  }
  if (parts.formType !== undefined) headers.setContentType(parts.formType, true);
  const mark = { headers, [CAME_ALONG_THE_ROAD]: true };
  return Object.assign(Object.create(null) as InternalAxiosRequestConfig, config, parts.settings, mark);
}

export function cameAlongTheRoad(config: object): boolean {
  return CAME_ALONG_THE_ROAD in config;
}

/**
 * A content type with a boundary of our own for a form: axios draws another one for each attempt, and a resend repeats
 * the request byte for byte (B4).
 */
export function fixedFormType({ data, headers }: InternalAxiosRequestConfig): string | undefined {
  if (!isFormData(data) || /boundary=/i.test(String(headers.getContentType()))) return undefined;
  return `multipart/form-data; boundary=provider-auth-${randomBytes(18).toString('hex')}`;
}

function copyOf(headers: AxiosHeaders): AxiosHeaders {
  return Object.assign(Object.create(Object.getPrototypeOf(headers) as object) as AxiosHeaders, headers);
}
