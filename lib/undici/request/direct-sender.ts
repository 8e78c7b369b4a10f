import type { BaseAddress } from '../../net/base-address.js';
import { completeHeaders } from '../../wire/added-headers.js';
import type { DirectSender } from '../../wire/wire-request.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { fits } from './general-request.js';
import { UndiciExchange } from './undici-exchange.js';

interface Settings {
  readonly base: BaseAddress;
  readonly pool: ConnectionPool;
  readonly speaksH2: boolean;
}

/** Sends direct requests on the pool, without an adapter (B16). */
export function createDirectSender({ base, pool, speaksH2 }: Settings): DirectSender {
  return {
    givesCleanResponses: true,
    accepts: (method, content) => content === null || fits(method, { content }, speaksH2),
    send(request, result) {
      completeHeaders(request.headers, request.config);
      new UndiciExchange(base, request, result).start(pool);
    },
  };
}
