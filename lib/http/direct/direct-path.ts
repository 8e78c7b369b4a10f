import { Axios, type AxiosInstance, type AxiosResponse, type InternalAxiosRequestConfig } from 'axios';
import { isObject, isPolluted } from '../../values/is-object.js';
import { areMethodsOfAxios, DIRECT_METHODS } from './compared-axios.js';
import { type Dispatch, dispatched, failing, serialiseBody } from './dispatched-call.js';
import { interceptedCall, type InterceptedCallSettings } from './interceptor-chain.js';
import { KnownDefaults, type Members } from './known-defaults.js';
import { areDirectDefaults, areDirectMembers, hasHiddenMembers } from './direct-call.js';

type Config = InternalAxiosRequestConfig;

export interface DirectPathSettings extends InterceptedCallSettings {
  readonly instance: AxiosInstance;
  readonly baseURL: string;
  readonly isOffered: boolean;
}

/** Sends direct calls without axios' general machinery (B16), with the result that axios would give (B17). */
export class DirectPath {
  readonly #dispatch: Dispatch;
  readonly #requestOfAxios: unknown = Reflect.get(Axios.prototype, 'request');
  readonly #isOffered: boolean;
  #known: KnownDefaults | undefined;
  #areDirect = false;

  constructor(private readonly settings: DirectPathSettings) {
    this.#dispatch = { send: settings.send, fail: failing };
    this.#isOffered = settings.isOffered && areMethodsOfAxios(Axios.prototype);
  }

  /**
   * The response of a direct call. Undefined for any other call, of which nothing has been sent then.
   *
   * @param members the config of the call. A member that axios takes for missing may be undefined.
   * @param given what the caller gave as the config. `members` is a copy of its enumerable members.
   */
  call(members: Members, given: unknown): Promise<AxiosResponse> | undefined {
    if (!this.#isOfferedNow || (isObject(given) && hasHiddenMembers(given))) return undefined;
    const { interceptors } = this.settings;
    const request = interceptors.request();
    const response = interceptors.response();
    if (request === undefined || response === undefined) return undefined;
    const config = this.#configOf(members);
    if (config === undefined) return undefined;
    const isIntercepted = request.length > 0 || response.length > 0;
    return isIntercepted ? interceptedCall(this.settings, config, request, response) : this.#send(config);
  }

  /**
   * Instrumentation may replace the method through which axios sends all calls of an instance. The members of a polluted
   * `Object.prototype` would look like members of a config (B36).
   */
  get #isOfferedNow(): boolean {
    return this.#isOffered && Axios.prototype.request === this.#requestOfAxios && !isPolluted();
  }

  #configOf(members: Members): Config | undefined {
    const { method = 'get' } = members;
    const { instance, baseURL, adapter } = this.settings;
    try {
      // Most tests of an application replace the adapter, and ask nothing more than this (B14).
      if (instance.defaults.adapter !== adapter) return undefined;
      if (!areDirectMembers(members)) return undefined;
      const name = (method as string).toLowerCase();
      if (this.#known?.areCurrent() !== true) {
        this.#areDirect = areDirectDefaults(instance.defaults, { baseURL, adapter });
        this.#known = new KnownDefaults(instance.defaults);
      }
      return this.#areDirect ? this.#known?.configOf(name, members) : undefined;
    } catch {
      // axios itself reports what is wrong.
      return undefined;
    }
  }

  #send(config: Config): Promise<AxiosResponse> {
    try {
      serialiseBody(config);
    } catch (error) {
      return failing(error);
    }
    return dispatched(config, this.#dispatch);
  }
}

type Sending = (...given: unknown[]) => Promise<AxiosResponse>;

/** The same axios instance, with functions that try the direct path first. The call of a function cannot be replaced in place. */
export function withDirectPath(general: AxiosInstance, path: DirectPath): AxiosInstance {
  const requestBy = general as unknown as Sending;
  const instance = function wrap(...given: unknown[]) {
    const [first, second] = given;
    try {
      if (typeof first !== 'string')
        return (isObject(first) && path.call({ ...first }, first)) || requestBy(...given);
      // axios writes the URL into the config of the caller too.
      const config = isObject(second) ? Object.assign(second, { url: first }) : { url: first };
      return path.call({ ...config }, config) ?? requestBy(config);
    } catch (error) {
      // Of a getter, or of a frozen config: axios rejects.
      return failing(error);
    }
  };
  const members = Object.getOwnPropertyDescriptors(general) as Record<string, PropertyDescriptor>;
  for (const [name, property] of Object.entries(members))
    if (!Object.hasOwn(instance, name)) Object.defineProperty(instance, name, property);
  replace(instance, 'request', instance);
  for (const [method, place] of Object.entries(DIRECT_METHODS)) {
    const generalMethod = Reflect.get(general, method) as Sending | undefined;
    if (generalMethod === undefined) continue;
    replace(instance, method, function wrap(...given: unknown[]) {
      const config = given[place];
      try {
        // V8 needs microseconds to add members to a spread object, which is a part of the cost of a call (B16, B33).
        const members: Record<string, unknown> = Object.assign({}, config);
        members['method'] = method;
        members['url'] = given[0];
        if (place === 2) members['data'] = given[1];
        return path.call(members, config) ?? generalMethod(...given);
      } catch (error) {
        return failing(error);
      }
    });
  }
  return instance as unknown as AxiosInstance;
}

function replace(instance: object, name: string, send: Sending): void {
  const property = Object.getOwnPropertyDescriptor(instance, name);
  Object.defineProperty(instance, name, { ...property, value: send });
}
