import { afterAll, describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../lib/secrets/access-token.js';
import { Fleet } from '../../support/fleet/fleet.js';
import { storedKeys } from '../../support/fleet/stored-keys.js';

const SIZE = 16;
const NAMES = Array.from({ length: 50 }, (_, index) => `canary-merchant-${index}`);

const fleet = await Fleet.start(
  {
    size: SIZE,
    settings: (_, simulated) => ({
      accounts: Object.fromEntries(
        NAMES.map((name) => {
          simulated.addAccount(name);
          return [name, simulated.credentials('easy', 'sandbox', name)];
        }),
      ),
    }),
  },
  { lifetimeSeconds: 3600, latencyMs: 100 },
  afterAll,
);
const { provider, redis, monitor } = fleet;

let had: Readonly<Record<string, string>>[] = [];

describe(`B10 B33: a fleet of ${SIZE} processes with ${NAMES.length} accounts`, () => {
  it.each(['get', 'renew'] as const)(
    'B10 B33: asks for one token for each account when all processes %s, and each process has the right ones',
    { timeout: 120_000 },
    async (command) => {
      if (command === 'renew') provider.token.revokeAll();
      const before = provider.tokenRequests.length;
      const tokens = await fleet.all('ofAccounts', command);
      const asked = provider.tokenRequests.slice(before);
      for (const account of NAMES) {
        const ofAccount = asked.filter((request) => request.account === account);
        expect(ofAccount.length).toBeGreaterThanOrEqual(1);
        // On a busy machine, two processes may have asked for the first token. Then a third one may still take the other token.
        const earlier = provider.tokenRequests.slice(0, before).filter((one) => one.account === account);
        const issued = [...(earlier.length > 1 ? earlier : []), ...ofAccount].map(({ token = '' }) =>
          fingerprintOf(token),
        );
        for (const [index, ofProcess] of tokens.entries()) {
          expect(issued).toContain(ofProcess[account]);
          expect(ofProcess[account]).not.toBe(had[index]?.[account]);
        }
      }
      had = tokens;
      // One for each account, unless a busy machine takes longer than a lease for some of them.
      expect(asked.length).toBeLessThan(NAMES.length * 3);
    },
  );

  it('B11 B33: has one entry for each account, and a person who watches Redis sees no name', async () => {
    const client = await redis.connected();
    await expect.poll(async () => (await storedKeys(client, 'entry')).length).toBe(NAMES.length);
    expect(monitor.trips.length).toBeGreaterThan(SIZE * NAMES.length);
    const shown = monitor.text.toLowerCase();
    const forms = [
      'canary-merchant',
      ...['base64', 'base64url', 'hex'].map((encoding) =>
        Buffer.from('canary-merchant').toString(encoding as 'hex'),
      ),
    ];
    for (const form of forms) expect(shown).not.toContain(form.toLowerCase());
    expect(await fleet.logs()).toEqual([]);
  });
});
