import type { Agent } from 'node:https';
import type { AxiosAdapter, InternalAxiosRequestConfig } from 'axios';
import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { TokenRequestError } from '../errors/token-request.error.js';
import type { AuthorizedRoad } from './authorized-road.js';
import { type Carrier, chosenCarrier } from './carriers.js';
import { cameAlongTheRoad } from './wire-config.js';

/**
 * The default adapter of a client: it carries what came along the road and refuses the rest. So a client whose
 * interceptors were cleared sends nothing instead of sending without a token (S7), and a mock adapter that passes a
 * request through to what was there before still works.
 *
 * @param agent what a request that passes through another adapter was given on its way.
 */
export function guardedAdapter(
  { adapter, hasConnections }: Carrier,
  pair: ProviderPair,
  agent: Agent,
): AxiosAdapter {
  return (config) => {
    if (!cameAlongTheRoad(config)) return Promise.reject(interceptorRemoved(pair));
    // It was for that adapter, should it have made a connection; this one has its own.
    if (hasConnections && config.httpsAgent === agent) delete config.httpsAgent;
    return adapter(config);
  };
}

/**
 * Sends every request along the road, whatever adapter would have carried it: also one that a mock library or the caller
 * has put there (C3). Registered first and so run last, after all request interceptors of the user.
 */
export function authorizationInterceptor(road: AuthorizedRoad, guard: AxiosAdapter, carrier: Carrier) {
  const usually: AxiosAdapter = (config) => {
    config.adapter = guard;
    return road.travel(config, carrier);
  };
  return (config: InternalAxiosRequestConfig): InternalAxiosRequestConfig => {
    const { adapter } = config;
    config.adapter = adapter === guard || adapter === undefined ? usually : around(adapter, road);
    return config;
  };
}

function around(
  choice: NonNullable<InternalAxiosRequestConfig['adapter']>,
  road: AuthorizedRoad,
): AxiosAdapter {
  return (config) => {
    // As it was: whoever sends this config again, as axios-retry does, comes along the road again.
    config.adapter = choice;
    return road.travel(config, chosenCarrier(choice, config));
  };
}

function interceptorRemoved(pair: ProviderPair): TokenRequestError {
  return new TokenRequestError(pair, {
    code: 'TOKEN_UNAVAILABLE',
    transient: false,
    reason: 'the interceptor that attaches it was removed from axiosRef.',
    remedy: 'Remove your own interceptors with eject(id) instead of clear().',
  });
}
