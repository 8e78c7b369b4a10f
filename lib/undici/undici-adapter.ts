import type { AxiosAdapter } from 'axios';
import type { AxiosFallback } from './axios-fallback.js';
import type { BaseAddress } from '../net/base-address.js';
import type { ConnectionPool } from './pool/connection-pool.js';
import { mayHaveEnvironmentProxy } from '../net/environment-proxy.js';
import { DispatchedRequest } from './request/dispatched-request.js';
import { plannedRequest } from './request/planned-request.js';

interface Transport {
  readonly base: BaseAddress;
  readonly pool: ConnectionPool;
  readonly axiosFallback: AxiosFallback;
  readonly speaksH2: boolean;
}

/** An axios adapter: undici's pool for what it offers, axios' own adapter for the rest, decided before anything is sent. */
export function createAdapter({ base, pool, axiosFallback, speaksH2 }: Transport): AxiosAdapter {
  const conditions = { speaksH2, hasProxy: mayHaveEnvironmentProxy(base.origin, process.env) };
  return (config) => {
    const plan = plannedRequest(config, base, conditions);
    if (plan === undefined) return axiosFallback.send(config);
    return new Promise((resolve, reject) => {
      new DispatchedRequest(config, base, plan, { resolve, reject }).start(pool);
    });
  };
}
