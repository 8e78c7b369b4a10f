import { describe, expect, it } from 'vitest';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { CurrentSecret } from '../../../lib/token/current-secret.js';
import type { SecretSource } from '../../../lib/secrets/client-credential.js';
import { Secret } from '../../../lib/secrets/secret.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';
import { CANARY, errorOf, profileOf, SteeredSecret, Watched } from '../../support/token/token-fixtures.js';

function givenSecret(): { clock: FakeClock; source: SteeredSecret; secret: CurrentSecret } {
  const clock = new FakeClock();
  const source = new SteeredSecret('first');
  return { clock, source, secret: new CurrentSecret(profileOf({ clientSecret: source }), clock) };
}

describe('CurrentSecret', () => {
  it('B8: reads the source again for each token request', async () => {
    const { source, secret } = givenSecret();
    expect((await secret.use(1000)).reveal()).toBe('first');
    source.gives('second');
    expect((await secret.use(1000)).reveal()).toBe('second');
    expect(source.reads).toBe(2);
  });

  it('B8: leaves no timer', async () => {
    const { clock, secret } = givenSecret();
    await secret.use(1000);
    await settled();
    expect(clock.pending()).toEqual([]);
  });

  it.each(['rejects', 'throws'] as const)(
    'B8: a source that %s is unavailable, and its text is not repeated',
    async (how) => {
      const { clock, source, secret } = givenSecret();
      source[how](new Error(`cannot open ${CANARY.secret}`));
      const error = await errorOf(secret.use(1000));
      expect(error).toBeInstanceOf(TokenRequestError);
      expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', failure: { transient: false } });
      expect(String(error)).toContain('the client secret could not be read');
      expect(String(error)).not.toContain('cAnArY');
      await settled();
      expect(clock.pending()).toEqual([]);
    },
  );

  it('B8: a source that does not answer fails after its time', async () => {
    const { clock, source, secret } = givenSecret();
    source.hangs();
    const using = new Watched(secret.use(1000));
    await clock.advance(999);
    expect(using.state).toBe('waiting');
    await clock.advance(1);
    expect(using).toMatchObject({ state: 'failed', error: { code: 'TOKEN_UNAVAILABLE' } });
    expect(String(using.error)).toContain('took too long');
  });

  it('B9: keeps no process alive while it reads', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.gives('second');
    await secret.useIfChanged(500);
    await secret.readAndCompare(1000);
    expect(clock.history).toEqual([
      { ms: 1000, kind: 'background' },
      { ms: 500, kind: 'background' },
      { ms: 1000, kind: 'background' },
      { ms: 250, kind: 'background' },
    ]);
  });

  it('B8: after a refusal, gives a secret only if it is another one', async () => {
    const { source, secret } = givenSecret();
    await secret.use(1000);
    expect(await secret.useIfChanged(1000)).toBeUndefined();
    source.gives('second');
    expect((await secret.useIfChanged(1000))?.reveal()).toBe('second');
    expect(await secret.useIfChanged(1000)).toBeUndefined();
  });

  it('B8: a source that fails has not changed', async () => {
    const { source, secret } = givenSecret();
    await secret.use(1000);
    source.rejects(new Error('no'));
    expect(await secret.useIfChanged(1000)).toBeUndefined();
    expect(await secret.readAndCompare(1000)).toBe(false);
  });

  it('B7: in a cool-down, reads the source at most once a second', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.reads = 0;
    for (let ms = 0; ms < 3000; ms += 50) {
      expect(await secret.readAndCompare(1000)).toBe(false);
      await clock.advance(50);
    }
    expect(source.reads).toBe(3);
  });

  it('B7: sees the change at its next reading', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    await secret.readAndCompare(1000);
    source.gives('second');
    expect(await secret.readAndCompare(1000)).toBe(false);
    await clock.advance(1000);
    expect(await secret.readAndCompare(1000)).toBe(true);
  });

  it('B7: each change in a row makes the next reading later, up to a minute, until two requests have the same secret', async () => {
    const { clock, source, secret } = givenSecret();
    let count = 0;
    const changesAfter = async (ms: number): Promise<boolean> => {
      await secret.use(1000);
      source.gives(`secret ${(count += 1)}`);
      await clock.advance(ms);
      return secret.readAndCompare(1000);
    };
    expect(await changesAfter(0)).toBe(true);
    for (const ms of [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
      expect([ms, await changesAfter(ms - 1), await changesAfter(1)]).toEqual([ms, false, true]);
    await secret.use(1000);
    await secret.use(1000);
    expect([await changesAfter(999), await changesAfter(1)]).toEqual([false, true]);
  });

  it('B8: after a refusal, reads again a source that keeps what it read', async () => {
    const clientSecret: SecretSource = {
      read: (isAgain) => Promise.resolve(new Secret(isAgain ? 'new' : 'old')),
    };
    const secret = new CurrentSecret(profileOf({ clientSecret }), new FakeClock());
    await secret.use(1000);
    expect(await secret.readAndCompare(1000)).toBe(true);
    expect((await secret.useIfChanged(1000))?.reveal()).toBe('new');
    expect((await secret.use(1000)).reveal()).toBe('old');
  });

  it('B32: in a cool-down, another assertion is no change, because a system may sign one for each reading', async () => {
    const clock = new FakeClock();
    const source = new SteeredSecret('first');
    const secret = new CurrentSecret(profileOf({ clientSecret: source, credential: 'assertion' }), clock);
    await secret.use(1000);
    source.gives('second');
    expect(await secret.readAndCompare(1000)).toBe(false);
    expect(await secret.readAndCompare(1000, secret.read(1000))).toBe(false);
    expect((await secret.useIfChanged(1000))?.reveal()).toBe('second');
  });

  it('B8: uses a reading that the caller has made already', async () => {
    const { clock, source, secret } = givenSecret();
    const reading = secret.read(1000);
    await Promise.resolve();
    source.gives('second');
    expect((await secret.use(1000, reading)).reveal()).toBe('first');
    expect(secret.lastUsed?.reveal()).toBe('first');
    expect(source.reads).toBe(1);
    expect(clock.history).toEqual([{ ms: 1000, kind: 'background' }]);
  });

  it('B8: a reading that has failed already is not read again', async () => {
    const { source, secret } = givenSecret();
    source.rejects(new Error('no'));
    const reading = secret.read(1000);
    await Promise.resolve();
    source.gives('second');
    const error = await errorOf(secret.use(1000, reading));
    expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE' });
    expect(await errorOf(reading)).toBe(error);
    expect(source.reads).toBe(1);
  });

  it('B8: in a cool-down, compares a reading that the caller has made already', async () => {
    const { source, secret } = givenSecret();
    await secret.use(1000);
    expect(await secret.readAndCompare(1000, secret.read(1000))).toBe(false);
    source.gives('second');
    expect(await secret.readAndCompare(1000, secret.read(1000))).toBe(true);
    expect(source.reads).toBe(3);
    // Such a reading does not count as the reading that the cool-down allows once a second (B7).
    expect(await secret.readAndCompare(1000)).toBe(true);
    expect(source.reads).toBe(4);
  });

  it('B7: does not make callers wait for a slow source', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.hangs();
    const looking = new Watched(secret.readAndCompare(1000));
    await clock.advance(250);
    expect(looking).toMatchObject({ state: 'given', result: false });
  });

  it('B7: a slow reading goes on, and its result ends the cool-down for the next caller', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.reads = 0;
    const answer = source.waits();
    void secret.readAndCompare(5000);
    await clock.advance(2000);
    const still = new Watched(secret.readAndCompare(5000));
    await clock.advance(250);
    expect(still).toMatchObject({ state: 'given', result: false });
    answer('second');
    await clock.advance(1000);
    expect(await secret.readAndCompare(5000)).toBe(true);
    expect(source.reads).toBe(1);
    expect(clock.pending()).toEqual([]);
  });

  it('B7: a slow reading that fails, or takes too long itself, is followed by another', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.hangs();
    void secret.readAndCompare(2000);
    await clock.advance(2000);
    source.gives('second');
    expect(await secret.readAndCompare(2000)).toBe(false);
    await clock.advance(1000);
    expect(await secret.readAndCompare(2000)).toBe(true);
  });

  it('B7: a result from before the last token request is not used', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    const answer = source.waits();
    void secret.readAndCompare(5000);
    await clock.advance(300);
    source.gives('second');
    await secret.use(1000);
    answer('first');
    expect(await secret.readAndCompare(5000)).toBe(false);
  });

  it('B9: no caller waits for a slow reading, so it holds no process', async () => {
    const { clock, source, secret } = givenSecret();
    await secret.use(1000);
    source.hangs();
    void secret.readAndCompare(5000);
    await clock.advance(250);
    expect(clock.pending()).toMatchObject([{ ms: 5000, kind: 'background' }]);
  });
});
