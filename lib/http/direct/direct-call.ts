import axios, {
  type AxiosAdapter,
  AxiosHeaders,
  type AxiosInstance,
  type InternalAxiosRequestConfig,
} from 'axios';
import { IDENTITY, TokenIdentity } from '../../token/token-identity.js';
import { CONNECTION_HEADERS } from '../../values/http-text.js';
import { isCopiedByAxios, isObject } from '../../values/is-object.js';
import { isAuthorization } from '../redaction/clean-request.js';

/**
 * Decides which calls are direct (B16). A direct call uses only what this file lists, so that the direct path can send it
 * with the result of axios (B17). What is new in axios, rare, or hard to repeat exactly takes the general path.
 */

type Rule = (value: unknown) => boolean;
type Row = readonly (Rule | undefined)[];

const isText: Rule = (value) => typeof value === 'string';
const isNumber: Rule = (value) => typeof value === 'number' && Number.isFinite(value);
const isBoolean: Rule = (value) => typeof value === 'boolean';
const isTime: Rule = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isZero: Rule = (value) => value === 0;
const anything: Rule = () => true;
const noRule = undefined;

const RESPONSE_TYPES = new Set<unknown>(['json', 'text', 'arraybuffer']);
const METHODS = new Set<unknown>(['get', 'delete', 'head', 'options', 'post', 'put', 'patch', 'query']);

const isResponseType: Rule = (value) => RESPONSE_TYPES.has(value);
const isMethod: Rule = (value) => typeof value === 'string' && METHODS.has(value.toLowerCase());
const isFunctionOrNull: Rule = (value) => typeof value === 'function' || value === null;

export const isDefaultForRequests = isOnly(axios.defaults.transformRequest);
export const isDefaultForResponses = isOnly(axios.defaults.transformResponse);

/** When a member is checked: the columns of the table. */
const [DEFAULTS, CALL, INTERCEPTED, SENT] = [0, 1, 2, 3] as const;
type Moment = typeof DEFAULTS | typeof INTERCEPTED | typeof SENT;

/**
 * The members that a direct call may have, each with the rule for its value at each moment:
 *
 * - DEFAULTS: in the defaults of the instance, when they have changed;
 * - CALL: in what the caller gives, before axios adds the defaults;
 * - INTERCEPTED: in what the interceptors of the application have left, before axios serialises the body;
 * - SENT: in a config that would go to the adapter. The call itself watches its signal and its cancel token then.
 *
 * A member without a rule makes a call general. A member that is undefined is missing for axios.
 */
// prettier-ignore
const TABLE: Readonly<Record<string, Row>> = withoutPrototype({
  //                    DEFAULTS               CALL              INTERCEPTED            SENT
  url:                 [noRule,                isText,           isText,                isText],
  method:              [noRule,                isMethod,         isMethod,              isMethod],
  params:              [noRule,                areParams,        areParams,             areParams],
  headers:             [areDefaultHeaders,     areGivenHeaders,  areSentHeaders,        areSentHeaders],
  data:                [noRule,                isBody,           isBody,                isSentBody],
  maxRedirects:        [isZero,                isZero,           isZero,                isZero],
  timeout:             [isTime,                isTime,           isTime,                isTime],
  timeoutErrorMessage: [isText,                isText,           isText,                isText],
  responseType:        [isResponseType,        isResponseType,   isResponseType,        isResponseType],
  decompress:          [isBoolean,             isBoolean,        isBoolean,             isBoolean],
  maxContentLength:    [isNumber,              isNumber,         isNumber,              isNumber],
  maxBodyLength:       [isNumber,              isNumber,         isNumber,              isNumber],
  validateStatus:      [isFunctionOrNull,      isFunctionOrNull, isFunctionOrNull,      isFunctionOrNull],
  signal:              [noRule,                isOpenSignal,     isOpenSignal,          anything],
  cancelToken:         [noRule,                isOpenToken,      isOpenToken,           anything],
  transformRequest:    [isDefaultForRequests,  noRule,           isDefaultForRequests,  anything],
  transformResponse:   [isDefaultForResponses, noRule,           isDefaultForResponses, anything],
  transitional:        [isLenientDefault,      noRule,           isLenient,             isCopiedByAxios],
  // The adapter of the module, and what axios needs to find it.
  adapter:             [anything,              noRule,           anything,              anything],
  env:                 [isFlat,                noRule,           anything,              anything],
  // The address is resolved from these two and from `url`.
  baseURL:             [anything,              noRule,           isText,                isText],
  allowAbsoluteUrls:   [noRule,                noRule,           isBoolean,             isBoolean],
  // Only browsers use these.
  withCredentials:     [isBoolean,             isBoolean,        isBoolean,             isBoolean],
  withXSRFToken:       [isBoolean,             isBoolean,        isBoolean,             isBoolean],
  xsrfCookieName:      [isText,                isText,           isText,                isText],
  xsrfHeaderName:      [isText,                isText,           isText,                isText],
  [IDENTITY]:          [noRule,                TokenIdentity.isOne, TokenIdentity.isOne, TokenIdentity.isOne],
});

/** An object also has the members of its prototype, `toString` for example. */
function withoutPrototype<Table extends object>(table: Table): Table {
  return Object.setPrototypeOf(table, null) as Table;
}

/** Companions of axios put their state into a config, for example axios-retry. No option of axios has a name like this. */
const STATE_NAME = /^_(?!_proto__$)|-|^metadata$/;

function isDirectMember(moment: Moment, name: string, value: unknown): boolean {
  const rule = TABLE[name]?.[moment];
  if (rule !== undefined) return value === undefined || rule(value);
  return moment !== DEFAULTS && STATE_NAME.test(name);
}

interface OwnDefaults {
  readonly baseURL: string;
  readonly adapter: AxiosAdapter;
}

export function areDirectDefaults(defaults: AxiosInstance['defaults'], own: OwnDefaults): boolean {
  const { baseURL, adapter, maxRedirects } = defaults;
  if (baseURL !== own.baseURL || adapter !== own.adapter || maxRedirects !== 0) return false;
  return hasOnly(defaults, (value, name) => isDirectMember(DEFAULTS, name, value));
}

/** May throw what a getter of the application throws. Without a `validateStatus`, axios accepts each status. */
export function areDirectMembers(members: Readonly<Record<string, unknown>>): boolean {
  return hasOnly(members, (value, name) => {
    if (value === undefined) return name !== 'validateStatus';
    const rule = TABLE[name]?.[CALL];
    if (rule !== undefined) return rule(value);
    return STATE_NAME.test(name) && (!isObject(value) || isCopiedByAxios(value));
  });
}

/**
 * Whether the interceptors of the application have left a config that is direct. axios copies a config with locked members,
 * and the copy is what the result shows. May throw what a getter of the application throws.
 */
export function isDirectIntercepted(
  config: unknown,
  own: AxiosAdapter,
): config is InternalAxiosRequestConfig {
  if (!isObject(config) || Object.getPrototypeOf(config) !== null || !Object.isExtensible(config))
    return false;
  for (const name of Object.getOwnPropertyNames(config)) {
    const member: PropertyDescriptor | undefined = Object.getOwnPropertyDescriptor(config, name);
    if (member?.writable !== true || member.configurable !== true) return false;
    const isDirect = member.enumerable
      ? isDirectMember(INTERCEPTED, name, member.value)
      : name === HIDDEN_BY_AXIOS;
    if (!isDirect) return false;
  }
  if (NEEDED.some((name) => Reflect.get(config, name) === undefined)) return false;
  if (Reflect.get(config, 'adapter') !== own || Reflect.get(config, 'maxRedirects') !== 0) return false;
  return Object.getOwnPropertySymbols(config).length === 0;
}

/** axios fails or does something else if a config lacks one of these. */
const NEEDED = ['method', 'headers', 'transformRequest', 'transformResponse'];

/** Whether a transport can send a config in place of the default adapter. */
export function isDirectConfig(config: InternalAxiosRequestConfig): boolean {
  if (config.maxRedirects !== 0 || config.method === undefined) return false;
  const isHiding = Object.getOwnPropertyDescriptor(config, HIDDEN_BY_AXIOS)?.enumerable === false;
  if (hiddenMembers(config) > Number(isHiding)) return false;
  return hasOnly(config, (value, name) => isDirectMember(SENT, name, value));
}

/** axios gives this member to a config without a prototype. */
const HIDDEN_BY_AXIOS = 'hasOwnProperty';

/** The same for the config of a `fetch` (B21). Callers cannot reach this config, and its other members are always direct. */
export function isDirectFetch(config: InternalAxiosRequestConfig): boolean {
  const { method, headers, maxRedirects } = config;
  return maxRedirects === 0 && isMethod(method) && areHeadersOfFetch(headers) && isSentBody(config.data);
}

/** Whether an object has members that a copy of it does not have. A copy by assignment has another prototype in place of `__proto__`. */
export function hasHiddenMembers(given: object): boolean {
  return hiddenMembers(given) > 0 || Object.hasOwn(given, '__proto__');
}

/** The number of members that are not enumerable. axios reads some of these. */
function hiddenMembers(given: object): number {
  return Object.getOwnPropertyNames(given).length - Object.keys(given).length;
}

/** With strict parsing, axios throws an error that shows the response. */
function isLenient(value: unknown): boolean {
  return isFlat(value) && Reflect.get(value, 'silentJSONParsing') !== false;
}

/** axios refuses each call with an option that it does not know, and with a value of another type. */
function isLenientDefault(value: unknown): boolean {
  return (
    isLenient(value) &&
    Object.entries(value as object).every(([name, on]) => name in TRANSITIONAL && isBoolean(on))
  );
}

const TRANSITIONAL = Object.assign(Object.create(null) as object, axios.defaults.transitional);

function isFlat(value: unknown): value is object {
  return isCopiedByAxios(value) && hasOnly(value, (part) => !isObject(part));
}

function isOnly(transforms: unknown): Rule {
  const [only] = [transforms].flat();
  return (value) => Array.isArray(value) && value.length === 1 && value[0] === only;
}

function areParams(value: unknown): boolean {
  return value instanceof URLSearchParams || value === null || (isCopiedByAxios(value) && isData(value));
}

function areDefaultHeaders(value: unknown): boolean {
  return isCopiedByAxios(value) && hasOnly(value, isDirectDefaultHeader);
}

function areGivenHeaders(value: unknown): boolean {
  return (value instanceof AxiosHeaders || isCopiedByAxios(value)) && hasOnly(value, isDirectHeader);
}

function areSentHeaders(value: unknown): boolean {
  if (!isObject(value) || Object.getPrototypeOf(value) !== AxiosHeaders.prototype) return false;
  return !hasHiddenMembers(value) && areHeadersOfFetch(value);
}

function areHeadersOfFetch(value: unknown): boolean {
  return isObject(value) && hasOnly(value, isDirectSentHeader);
}

/** The methods whose default headers every version of axios takes out of their objects. */
const DEFAULT_BUCKETS = new Set(Object.keys(axios.defaults.headers));

function isDirectDefaultHeader(value: unknown, name: string): boolean {
  if (!isObject(value)) return isDirectHeader(value, name);
  return DEFAULT_BUCKETS.has(name) && isCopiedByAxios(value) && hasOnly(value, isDirectHeader);
}

/** Headers that axios' http adapter adds. It decides by the kind of the missing value whether and where to add them. */
const ADDED_HEADERS = new Set(['user-agent', 'accept-encoding']);

/** Without a value axios leaves a header out. */
function isDirectSentHeader(value: unknown, name: string): boolean {
  if (value !== undefined && value !== null) return isDirectHeader(value, name);
  return !ADDED_HEADERS.has(name.toLowerCase()) && isDirectHeader('-', name);
}

const HEADER_NAME = /^[\w-]+$/;
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that replace the token or the address, that decide about the connection, or that the transports write themselves. */
const SPECIAL_HEADERS = new Set<unknown>([
  ...CONNECTION_HEADERS,
  ...'host content-length date proxy-authorization'.split(' '),
  // axios flattens the headers of methods.
  ...METHODS,
  ...'common purge link unlink'.split(' '),
]);

/** axios stores a header that is named like a method of its class in another case. */
function isDirectHeader(value: unknown, name: string): boolean {
  if (!HEADER_NAME.test(name) || isAuthorization(name)) return false;
  const key = name.toLowerCase();
  if (SPECIAL_HEADERS.has(key) || [name, key].some((one) => one in AxiosHeaders.prototype)) return false;
  // axios has a default of this kind: a place for the content type.
  if (value === undefined) return key === 'content-type';
  return typeof value === 'number' || (typeof value === 'string' && HEADER_VALUE.test(value));
}

function isSentBody(value: unknown): boolean {
  return value === null || value === undefined || typeof value === 'string' || Buffer.isBuffer(value);
}

function isBody(value: unknown): boolean {
  if (isSentBody(value) || Array.isArray(value)) return true;
  return value instanceof URLSearchParams || isCopiedByAxios(value);
}

function isOpenSignal(value: unknown): boolean {
  return value instanceof AbortSignal && !value.aborted;
}

function isOpenToken(value: unknown): boolean {
  if (!isObject(value) || isCopiedByAxios(value) || Reflect.get(value, 'reason') !== undefined) return false;
  return ['subscribe', 'unsubscribe', 'throwIfRequested'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}

/** The general path replaces functions, and axios would write their texts. */
function isData(value: unknown, depth = 0): boolean {
  if (typeof value === 'function') return false;
  if (!Array.isArray(value) && !isCopiedByAxios(value)) return true;
  return depth < DEEPEST && hasOnly(value, (part) => isData(part, depth + 1));
}

const DEEPEST = 8;

function hasOnly(value: object, condition: (value: unknown, name: string) => boolean): boolean {
  for (const name of Object.keys(value))
    if (!condition((value as Record<string, unknown>)[name], name)) return false;
  return Object.getOwnPropertySymbols(value).length === 0;
}
