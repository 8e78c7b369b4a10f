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
    const client = new Client(base.origin, {
      connect: (_, connected) => queueMicrotask(() => connected(null, connection.client as never)),
    });
    onTestFinished(() => client.destroy());
    return createDirectSender({ base, pool: client as unknown as ConnectionPool, speaksH2: false });
  });
});
