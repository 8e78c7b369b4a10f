import { AxiosHeaders } from 'axios';
import { onTestFinished } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { undiciTransport } from '../../../lib/undici/undici-transport.js';
import { Cancellation } from '../../../lib/wire/call-budget.js';
import type { Config, Outcome, Outgoing, Source } from '../../../lib/wire/outgoing.js';
import { WireServer } from './wire-server.js';

type Settings = Parameters<typeof undiciTransport>[0] & {
  readonly server?: WireServer;
  readonly tls?: ClientTls;
  readonly proxy?: { protocol: string; host: string; port: number };
};

type Sent = Omit<Partial<Outgoing>, 'config'> & { readonly config?: Partial<Config> };

/** A source on undici, and a server that it trusts. Both end with the test. */
export async function undiciSource({ server: given, tls, proxy, connections }: Settings = {}) {
  const server = given ?? (await WireServer.start());
  const source = undiciTransport({ connections }).open({
    interface: 'easy',
    environment: 'sandbox',
    tls: tls ?? new ClientTls({ ca: server.ca }),
    proxy,
  }) as Source;
  onTestFinished(async () => {
    await server.close();
    await source.close(Promise.resolve());
  });
  const outgoing = (sent: Sent = {}): Outgoing => ({
    method: 'GET',
    url: new URL(server.url),
    path: '/',
    headers: ['Authorization', 'Bearer canary'],
    body: null,
    isRepeatable: true,
    isUnderBase: true,
    cancellation: new Cancellation(),
    ...sent,
    config: { headers: new AxiosHeaders(), ...sent.config },
  });
  const send = (sent?: Sent): Promise<Outcome> =>
    new Promise((resolve) => source.send(outgoing(sent), resolve));
  return { server, source, send };
}
