import { setTimeout as passed } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { ALL_WAYS, CHANGED, givenMounted, LOOK_MS } from '../../support/application/changing-certificates.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { letTimePass } from '../../support/http/mounted-secret.js';

const CALLS_PER_SECOND = 200;
/** axios opens a tunnel and a TLS connection for each call through a proxy. */
const TUNNELS_PER_SECOND = 40;
/** A machine that is too slow for the rate makes fewer calls, not a queue that grows until the test ends. */
const MOST_AT_ONCE = 50;
const CHANGES = ['second', 'third', 'fourth'];

it.each(ALL_WAYS)(
  'B34: no call fails while certificate, key and authority change three times: by %s',
  async (_, way) => {
    const authorities = await Promise.all(
      CHANGES.map((name) => ClientAuthority.create(`Authority of ${name}`)),
    );
    const { provider, clients, get, lines, secret, first } = await givenMounted(way);
    const accepted = [clients, ...authorities].map(({ ca }) => ca).join('\n');
    const changes = (): number => lines().filter((line) => line === CHANGED).length;

    const rate = way.hasProxy ? TUNNELS_PER_SECOND : CALLS_PER_SECOND;
    const calls: Promise<unknown>[] = [];
    let open = 0;
    const over = new AbortController();
    const callAll = async (): Promise<void> => {
      const started = performance.now();
      while (!over.signal.aborted) {
        const due = ((performance.now() - started) / 1000) * rate;
        while (calls.length < due && open < MOST_AT_ONCE) {
          open++;
          const call = get(`/after-${changes()}-changes`);
          calls.push(
            call
              .then(
                () => undefined,
                (error: Error) => error.message,
              )
              .finally(() => open--),
          );
        }
        await passed(2);
      }
    };
    const calling = callAll();
    await passed(500);
    let before = { ca: provider.ca, ...first };
    for (const [index, name] of CHANGES.entries()) {
      const authority = authorities[index] ?? clients;
      const next = await authority.issue(name);
      if (name === 'third') {
        secret.replace({ ...before, cert: next.cert });
        letTimePass(LOOK_MS);
        await vi.waitUntil(() => lines().some((line) => line.includes('CERTIFICATE_UNREADABLE')), 10_000);
      }
      // The server does not wait until its clients know its new authority.
      await provider.changeAuthority(accepted);
      const ca = `${before.ca}\n${provider.ca}`;
      secret.replace({ ca, ...next });
      letTimePass(LOOK_MS);
      await expect.poll(() => changes()).toBe(index + 1);
      await passed(500);
      // On a slow machine, some of them are still at their handshake. The next change would be their second one.
      await Promise.all(calls);
      before = { ca: provider.ca, ...next };
    }
    over.abort();
    await calling;

    const failures = await Promise.all(calls);
    expect(failures.filter((failure) => failure !== undefined)).toEqual([]);
    const names = ['first', ...CHANGES];
    for (const { path, client = '' } of provider.seen) {
      const after = Number(/after-(\d)/.exec(path)?.[1] ?? 0);
      expect(names.slice(after)).toContain(client);
    }
    expect([...new Set(provider.seen.map(({ client }) => client))]).toEqual(names);
    await expect.poll(() => new Set(provider.openClients).size).toBeLessThan(2);
    expect(provider.openClients).not.toContain('third');
  },
  120_000,
);
