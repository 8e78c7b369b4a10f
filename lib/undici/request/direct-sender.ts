import { completeHeaders } from '../../http/adapter/added-headers.js';
import type { DirectSender } from '../../config/options/provider-transport.js';
import type { BaseAddress } from '../../net/base-address.js';
import type { ConnectionPool } from '../pool/connection-pool.js';
import { CancellationOnly } from './caller-limits.js';
import { DispatchedRequest } from './dispatched-request.js';
import { fitsH2 } from './planned-request.js';

interface Settings {
  readonly base: BaseAddress;
  readonly pool: ConnectionPool;
  readonly speaksH2: boolean;
}

/** Sends ordinary requests on the pool, without an adapter (B16). */
export function createDirectSender({ base, pool, speaksH2 }: Settings): DirectSender {
  return {
    givesCleanResponses: true,
    accepts: (method, content) => !speaksH2 || fitsH2(method, { content }),
    send(request, result) {
      const { method, path, body, config, cancellation } = request;
      const headers = completeHeaders(request.headers, config);
      const plan = { method, path, headers, body, timeoutMs: 0, isDirect: true };
      new DispatchedRequest(config, base, plan, result, new CancellationOnly(cancellation)).start(pool);
    },
  };
}
