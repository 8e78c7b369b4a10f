import { Inject } from '@nestjs/common';
import type { ProviderEnvironment, ProviderInterface } from '../catalogue/provider-catalogue.js';
import { BUILT_IN } from './built-in.js';
import { checkedToken } from './injection-tokens.js';

/**
 * The injection token of an HTTP client. If you omit the environment, you get the active one.
 *
 * @example
 * const drill = app.get<HttpService>(getProviderHttpToken('easy', 'sandbox'));
 */
export function getProviderHttpToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return checkedToken(BUILT_IN.catalogue, 'HTTP', of, environment);
}

/**
 * The injection token of a `fetch`. If you omit the environment, you get the active one.
 *
 * @example
 * const fetch = app.get<ProviderFetch>(getProviderFetchToken('easy', 'sandbox'));
 */
export function getProviderFetchToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return checkedToken(BUILT_IN.catalogue, 'FETCH', of, environment);
}

/**
 * The injection token of a token provider. If you omit the environment, you get the active one.
 *
 * @example
 * const tokens = app.get<TokenProvider>(getTokenProviderToken('easy', 'sandbox'));
 */
export function getTokenProviderToken(of: ProviderInterface, environment?: ProviderEnvironment): string {
  return checkedToken(BUILT_IN.catalogue, 'TOKEN_PROVIDER', of, environment);
}

/**
 * Injects the HTTP client of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectProviderHttp('easy', 'sandbox') private readonly drill: HttpService) {}
 */
export const InjectProviderHttp = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  Inject(getProviderHttpToken(of, environment));

/**
 * Injects the `fetch` of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectProviderFetch('easy', 'sandbox') private readonly fetch: ProviderFetch) {}
 */
export const InjectProviderFetch = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  Inject(getProviderFetchToken(of, environment));

/**
 * Injects the token provider of an interface. If you omit the environment, you get the active one.
 *
 * @example
 * constructor(@InjectTokenProvider('easy') private readonly tokens: TokenProvider) {}
 */
export const InjectTokenProvider = (of: ProviderInterface, environment?: ProviderEnvironment) =>
  Inject(getTokenProviderToken(of, environment));
