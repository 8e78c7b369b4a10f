import axios, {
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type InternalAxiosRequestConfig,
} from 'axios';
import { isObject } from '../../values/is-object.js';
import { isAuthorization } from '../redaction/clean-request.js';

/**
 * Decides which calls are ordinary (B16). An ordinary call uses only what this file lists, so that the express path can send
 * the call without axios' general machinery, with the same result (B17). All other calls take the general path: what is new
 * in axios, rare, or hard to repeat exactly is not ordinary.
 */

type Rule = (value: unknown) => boolean;
type Rules = Readonly<Record<string, Rule>>;

/** Rules only for these names: an object also has the members of its prototype, `toString` for example. */
function rulesFor(rules: Rules): Rules {
  return Object.setPrototypeOf({ ...rules }, null) as Rules;
}

const isText: Rule = (value) => typeof value === 'string';
const isNumber: Rule = (value) => typeof value === 'number' && Number.isFinite(value);
const isBoolean: Rule = (value) => typeof value === 'boolean';
const isTime: Rule = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

const RESPONSE_TYPES = new Set<unknown>(['json', 'text', 'arraybuffer']);
const METHODS = new Set<unknown>(['get', 'delete', 'head', 'options', 'post', 'put', 'patch', 'query']);

/** The members that a call may have, and the defaults of the instance too. */
const SETTINGS = rulesFor({
  timeout: isTime,
  timeoutErrorMessage: isText,
  responseType: (value) => RESPONSE_TYPES.has(value),
  decompress: isBoolean,
  maxContentLength: isNumber,
  maxBodyLength: isNumber,
  maxRedirects: (value) => value === 0,
  validateStatus: (value) => typeof value === 'function' || value === null,
  // Only browsers use these.
  withCredentials: isBoolean,
  withXSRFToken: isBoolean,
  xsrfCookieName: isText,
  xsrfHeaderName: isText,
});

const MEMBERS = rulesFor({
  ...SETTINGS,
  url: isText,
  method: (value) => typeof value === 'string' && METHODS.has(value.toLowerCase()),
  params: (value) => value instanceof URLSearchParams || value === null || (isPlain(value) && isData(value)),
  headers: (value) => isPlainOrHeaders(value) && hasOnly(value, isOrdinaryHeader),
  data: isOrdinaryBody,
  signal: isOpenSignal,
  cancelToken: isOpenCancelToken,
});

/**
 * Whether a call with these members is ordinary. axios takes a member that is undefined for missing, apart from `validateStatus`.
 * May throw what a getter of the application throws.
 */
export function areOrdinaryMembers(members: Readonly<Record<string, unknown>>): boolean {
  return hasOnly(members, (value, name) => {
    if (value === undefined) return name !== 'validateStatus';
    const rule = MEMBERS[name];
    return rule === undefined ? isNoOptionOfAxios(name, value) : rule(value);
  });
}

/** Whether an object has members that a copy of it does not have. */
export function hasHiddenMembers(given: object): boolean {
  return hiddenMembers(given) > 0;
}

/** The number of members that are not enumerable. axios reads some of these, and a copy of the object has none. */
function hiddenMembers(given: object): number {
  return Object.getOwnPropertyNames(given).length - Object.keys(given).length;
}

/** Companions of axios put their state into a config, for example axios-retry. No option of axios has a name like this. */
function isNoOptionOfAxios(name: string, value: unknown): boolean {
  return STATE_NAME.test(name) && (!isObject(value) || isPlain(value));
}

const STATE_NAME = /^_(?!_proto__$)|-|^metadata$/;

const anything: Rule = () => true;

/** The members of a config that is sent: what the interceptors of the application have left. */
const SENT = rulesFor({
  ...MEMBERS,
  data: isSentBody,
  headers: (value) => isPlainAxiosHeaders(value) && hasOnly(value, isOrdinarySentHeader),
  transitional: (value) => isPlain(value),
  // The address is resolved from these two and from `url`.
  baseURL: isText,
  allowAbsoluteUrls: isBoolean,
  // axios uses these around an adapter. The call watches the last two.
  adapter: anything,
  transformRequest: anything,
  transformResponse: anything,
  env: anything,
  signal: anything,
  cancelToken: anything,
});

/** Whether a transport can send a config in place of the default adapter. */
export function isOrdinaryConfig(config: InternalAxiosRequestConfig): boolean {
  if (followsRedirects(config) || config.method === undefined) return false;
  const isHiding = Object.getOwnPropertyDescriptor(config, HIDDEN_BY_AXIOS)?.enumerable === false;
  if (hiddenMembers(config) > Number(isHiding)) return false;
  return hasOnly(config, (value, name) => isOrdinaryMember(SENT, name, value));
}

function isOrdinaryMember(rules: Rules, name: string, value: unknown): boolean {
  const rule = rules[name];
  return rule === undefined ? STATE_NAME.test(name) : value === undefined || rule(value);
}

/** Without a limit, axios follows redirects. */
function followsRedirects({ maxRedirects }: { readonly maxRedirects?: unknown }): boolean {
  return maxRedirects !== 0;
}

/**
 * The same for a config that the interceptors of the application have left, before axios does what it does around an adapter.
 * axios copies a config with locked members, and the copy is what the result shows. May throw what a getter of the application
 * throws.
 */
export function isOrdinaryIntercepted(
  config: unknown,
  usual: AxiosAdapter,
): config is InternalAxiosRequestConfig {
  if (!isObject(config) || Object.getPrototypeOf(config) !== null || !Object.isExtensible(config))
    return false;
  for (const name of Object.getOwnPropertyNames(config)) {
    const member: PropertyDescriptor | undefined = Object.getOwnPropertyDescriptor(config, name);
    if (member?.writable !== true || member.configurable !== true) return false;
    const isOrdinary = member.enumerable
      ? isOrdinaryMember(INTERCEPTED, name, member.value)
      : name === HIDDEN_BY_AXIOS;
    if (!isOrdinary) return false;
  }
  if (NEEDED.some((name) => Reflect.get(config, name) === undefined)) return false;
  const { adapter } = config as Partial<InternalAxiosRequestConfig>;
  return adapter === usual && !followsRedirects(config) && Object.getOwnPropertySymbols(config).length === 0;
}

/**
 * The same for the config of a `fetch` (B21): a usual method, no body or a body in memory, no redirects to follow, no headers of
 * the connection and no own `Authorization`. Callers cannot reach this config, and its other members are always ordinary.
 */
export function isOrdinaryFetch({
  method,
  headers,
  data,
  maxRedirects,
}: InternalAxiosRequestConfig): boolean {
  return (
    maxRedirects === 0 && METHODS.has(method) && isSentBody(data) && hasOnly(headers, isOrdinarySentHeader)
  );
}

/** Headers that axios' http adapter adds. It decides by the kind of the missing value whether and where to add them. */
const ADDED_HEADERS = new Set(['user-agent', 'accept-encoding']);

/** Without a value axios leaves a header out. */
function isOrdinarySentHeader(value: unknown, name: string): boolean {
  if (value !== undefined && value !== null) return isOrdinaryHeader(value, name);
  return !ADDED_HEADERS.has(name.toLowerCase()) && isOrdinaryHeader('-', name);
}

/** Whether these are the transforms that axios itself has for responses. */
export const isUsualForResponses = isOnly(axios.defaults.transformResponse);

/** What changes bodies, in the defaults and in a config. */
const TRANSFORMS: Rules = {
  transitional: isOrdinaryTransitional,
  transformRequest: isOnly(axios.defaults.transformRequest),
  transformResponse: isUsualForResponses,
};

const DEFAULTS = rulesFor({
  ...SETTINGS,
  ...TRANSFORMS,
  env: (value) => isPlain(value) && hasOnly(value, (part) => !isObject(part)),
  headers: (value) => isPlain(value) && hasOnly(value, isOrdinaryDefaultHeader),
});

/** axios gives this member to a config without a prototype. */
const HIDDEN_BY_AXIOS = 'hasOwnProperty';

/** axios fails or does something else if a config lacks one of these. */
const NEEDED = ['method', 'headers', 'transformRequest', 'transformResponse'];

/** The members of a config before axios has serialised the body. */
const INTERCEPTED = rulesFor({
  ...SENT,
  data: isOrdinaryBody,
  signal: isOpenSignal,
  cancelToken: isOpenCancelToken,
  ...TRANSFORMS,
});

/** Whether calls may be ordinary with these defaults of the instance. */
export function areOrdinaryDefaults(
  defaults: AxiosInstance['defaults'],
  { baseURL, adapter }: { readonly baseURL: string; readonly adapter: AxiosAdapter },
): boolean {
  if (followsRedirects(defaults)) return false;
  return hasOnly(defaults, (value, name) => {
    if (name === 'baseURL') return value === baseURL;
    if (name === 'adapter') return value === adapter;
    const rule = DEFAULTS[name];
    return rule !== undefined && (value === undefined || rule(value));
  });
}

/** With strict parsing, axios throws an error that shows the response. */
function isOrdinaryTransitional(value: unknown): boolean {
  return (
    isPlain(value) &&
    Reflect.get(value, 'silentJSONParsing') !== false &&
    hasOnly(value, (part) => !isObject(part))
  );
}

function isOnly(transforms: unknown): Rule {
  const [only] = [transforms].flat();
  return (value) => Array.isArray(value) && value.length === 1 && value[0] === only;
}

/** A header, or the headers of one method. */
function isOrdinaryDefaultHeader(value: unknown, name: string): boolean {
  if (!isObject(value)) return isOrdinaryHeader(value, name);
  return isBucket(name) && isPlain(value) && hasOnly(value, isOrdinaryHeader);
}

const HEADER_NAME = /^[\w-]+$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that replace the token or the address, that decide about the connection, or that the transports write themselves. */
const SPECIAL_HEADERS = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'content-length',
  'date',
  'proxy-authorization',
]);

/** axios flattens the headers of methods, and stores a header that is named like a method of its class in another case. */
function isOrdinaryHeader(value: unknown, name: string): boolean {
  if (!HEADER_NAME.test(name) || isAuthorization(name)) return false;
  const key = name.toLowerCase();
  if (SPECIAL_HEADERS.has(key) || isBucket(key) || [name, key].some((one) => one in AxiosHeaders.prototype))
    return false;
  // axios has a default of this kind: a place for the content type.
  if (value === undefined) return key === 'content-type';
  return typeof value === 'number' || (typeof value === 'string' && HEADER_VALUE.test(value));
}

const BUCKETS = new Set<unknown>(['common', ...METHODS, 'purge', 'link', 'unlink']);

function isBucket(key: string): boolean {
  return BUCKETS.has(key);
}

function isSentBody(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'string' || Buffer.isBuffer(value);
}

function isOrdinaryBody(value: unknown): boolean {
  if (value === null || typeof value === 'string') return true;
  if (!isObject(value)) return false;
  return Buffer.isBuffer(value) || value instanceof URLSearchParams || Array.isArray(value) || isPlain(value);
}

function isOpenSignal(value: unknown): boolean {
  return value instanceof AbortSignal && !value.aborted;
}

function isOpenCancelToken(value: unknown): boolean {
  if (!isObject(value) || isPlain(value) || Reflect.get(value, 'reason') !== undefined) return false;
  return ['subscribe', 'unsubscribe', 'throwIfRequested'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}

function isPlainOrHeaders(value: unknown): value is object {
  return value instanceof AxiosHeaders || isPlain(value);
}

/** Headers without members that run code of the application. */
function isPlainAxiosHeaders(value: unknown): value is AxiosHeaders {
  if (!isObject(value) || Object.getPrototypeOf(value) !== AxiosHeaders.prototype) return false;
  return !hasHiddenMembers(value);
}

/** As axios decides which objects it copies. Objects of other realms are not ordinary. */
export function isPlain(value: unknown): value is object {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return false;
  return !(Symbol.toStringTag in value) && !(Symbol.iterator in value);
}

/** The general path replaces functions, and axios would write their texts. */
function isData(value: unknown, depth = 0): boolean {
  if (typeof value === 'function') return false;
  if (!Array.isArray(value) && !isPlain(value)) return true;
  return depth < DEEPEST && hasOnly(value, (part) => isData(part, depth + 1));
}

const DEEPEST = 8;

/** Whether all members of an object fulfil a condition. A symbol does not. */
function hasOnly(value: object, condition: (value: unknown, name: string) => boolean): boolean {
  for (const name of Object.keys(value))
    if (!condition((value as Record<string, unknown>)[name], name)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}
