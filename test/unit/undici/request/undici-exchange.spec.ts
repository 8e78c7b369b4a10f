import { Client } from 'undici';
import { describe, onTestFinished } from 'vitest';
import { BaseAddress } from '../../../../lib/net/base-address.js';
import type { ConnectionPool } from '../../../../lib/undici/pool/connection-pool.js';
import { createDirectSender } from '../../../../lib/undici/request/undici-exchange.js';
import { BASE_URL } from '../../../support/http/http-client.js';
import { describeDirectSender } from '../../wire/direct-sender-behaviour.js';

describe('the sender on undici', () => {
  describeDirectSender((connection) => {
    const base = new BaseAddress(BASE_URL);
    const unused = [connection.client];
    const client = new Client(base.origin, {
      // After a request was given up, undici connects again. It would add its listeners to the old connection without an end.
      connect: (_, connected) => {
        const socket = unused.pop();
        if (socket) queueMicrotask(() => connected(null, socket as never));
      },
    });
    onTestFinished(() => client.destroy());
    return createDirectSender({ base, pool: client as unknown as ConnectionPool, speaksH2: false });
  });
});
