import { describe, expect, it, vi } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import type { TokenNeed } from '../../../../lib/token/token-need.js';
import { givenFleet } from '../../../support/fleet/fleet-process.js';
import { signedAssertion } from '../../../support/secrets/signed-assertion.js';
import { settled } from '../../../support/token/fake-clock.js';
import { SteeredSecret, tokenOf } from '../../../support/token/token-fixtures.js';

const EXPIRED: TokenNeed = { reason: 'expired' };
const OPAQUE = 'an assertion that is no JWT';
const SECOND_MS = 1_000;

const assertionOf = (sub: string, jti = '') => signedAssertion({ iss: 'the cluster', sub, jti });

function givenClients() {
  const fleet = givenFleet();
  const published = vi.spyOn(fleet.store, 'publish');
  const process = (assertion: string) => fleet.process({}, new SteeredSecret(assertion), 0.5, 'assertion');
  return { ...fleet, process, published };
}

describe('B32: clients with assertions in one store', () => {
  it('B32: nothing is stored for an assertion that is no JWT', async () => {
    const { process, published, claims } = givenClients();
    await process(OPAQUE).fetches('one');
    await process(OPAQUE).fetches('two');
    expect([published, claims].map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  });

  it.each([
    ['no JWT', () => Promise.resolve(OPAQUE)],
    ['an assertion of another client', () => assertionOf('two')],
  ])(
    'B32: a token that was requested with %s after a refusal is not stored for the first client',
    async (_, make) => {
      const { process, clock } = givenClients();
      const changing = process(await assertionOf('one'));
      const asking = changing.asks();
      await settled();
      changing.secret.gives(await make());
      await changing.usesAnotherSecret();
      changing.endpoint.last.give(tokenOf(clock, 'of-another'));
      await settled();
      expect(asking.result?.reveal()).toBe('of-another');
      await process(await assertionOf('one')).fetches('of-one');
    },
  );
});

describe('B32: a seal key that cannot be read', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('canary'))],
    ['is too short', () => Promise.resolve(new Secret('canary'))],
    ['never comes', () => new Promise<never>(() => {})],
  ])('B32: %s: the process goes on alone, says so once, and shares again by itself', async (_, broken) => {
    const { process, store, clock, published } = givenClients();
    const sealKey = vi.spyOn(store, 'sealKey').mockImplementation(broken);
    const one = process(await assertionOf('one'));
    for (const name of ['alone', 'alone again']) {
      const asking = one.asks(EXPIRED);
      await clock.advance(5 * SECOND_MS);
      one.endpoint.last.give(tokenOf(clock, name));
      await settled();
      expect(asking.result?.reveal()).toBe(name);
    }
    expect(published).not.toHaveBeenCalled();
    expect(one.lines).toEqual([
      expect.stringMatching(/sealKey of the token store cannot be read.*STORE_FAILING, store\.sealKey/),
    ]);
    sealKey.mockRestore();
    await one.fetches('shared', { need: EXPIRED });
    expect((await process(await assertionOf('one')).reads()).reveal()).toBe('shared');
    expect(one.lines.at(-1)).toContain('STORE_RECOVERED, store.sealKey');
    expect(JSON.stringify(one.lines)).not.toContain('canary');
  });

  it('B9: holds up no renewal that is ended, and is no trouble of the store then', async () => {
    const { process, store, clock } = givenClients();
    vi.spyOn(store, 'sealKey').mockReturnValue(new Promise<never>(() => {}));
    const one = process(await assertionOf('one'));
    const closing = new AbortController();
    const asked = one.asks({ reason: 'ahead', signal: closing.signal });
    await clock.advance(SECOND_MS);
    closing.abort();
    await settled();
    expect([asked.state, one.requests, one.lines, clock.pending()]).toEqual(['failed', 0, [], []]);
  });
});
