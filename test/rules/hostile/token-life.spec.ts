import { expect, it } from 'vitest';
import { errorOf } from '../../support/token/token-fixtures.js';
import { FakeClock } from '../../support/token/fake-clock.js';
import { TokenTrial } from '../../support/token/token-trial.js';

it('T82 B3: the same token again after a renewal is renewed no further', async () => {
  const trial = await TokenTrial.start();
  const { token: first } = await trial.ask();
  if (!first) throw new Error('There was no token.');
  trial.provider.token.members({ access_token: first.reveal() });

  const second = await trial.tokens.renew(first);
  const third = await trial.tokens.renew(second);

  expect(second.reveal()).toBe(first.reveal());
  expect(third).toBe(second);
  expect(trial.provider.tokenRequests).toHaveLength(2);
  expect(trial.leaks()).toEqual([]);
});

it('T83 B1 B6: a failure is not kept as a token: after the cool-down the next caller asks again', async () => {
  const clock = new FakeClock();
  const trial = await TokenTrial.start({ clock, token: { maxAttempts: 1 } });
  trial.provider.token.next().status(500);

  const { error } = await trial.ask();
  expect((await trial.ask()).error).toEqual(error);
  expect(trial.provider.tokenRequests).toHaveLength(1);
  await clock.advance((error as { retryAt: Date }).retryAt.getTime() - clock.wall());

  expect((await trial.ask()).token).toBeDefined();
  expect(trial.provider.tokenRequests).toHaveLength(2);
  expect(trial.lines.map((line) => line.split(' ')[0])).toEqual(['error', 'log']);
  expect(trial.leaks()).toEqual([]);
});

it('T84 B1 B5: a slow answer serves 100 callers with one request; those who leave leave at once', async () => {
  const trial = await TokenTrial.start();
  const held = trial.provider.token.hold();
  const leaving = Array.from({ length: 50 }, () => {
    const abort = new AbortController();
    return { abort, outcome: errorOf(trial.tokens.getToken({ signal: abort.signal })) };
  });
  const staying = Array.from({ length: 50 }, () => trial.ask());

  for (const { abort } of leaving) abort.abort(new Error('no patience'));
  for (const { outcome } of leaving) expect(await outcome).toMatchObject({ message: 'no patience' });
  held.release();

  const values = new Set((await Promise.all(staying)).map(({ token }) => token?.reveal()));
  expect(values).toEqual(new Set([trial.provider.tokenRequests[0]?.token]));
  expect(trial.provider.tokenRequests).toHaveLength(1);
  expect(trial.leaks()).toEqual([]);
});

it('T85 B5 B9: a token that comes after all callers have left is kept', async () => {
  const trial = await TokenTrial.start();
  const held = await holdWithoutCallers(trial);
  held.release();
  await expect.poll(() => trial.tokens.status().state).toBe('valid');

  expect((await trial.ask()).token).toBeDefined();
  expect(trial.provider.tokenRequests).toHaveLength(1);
  expect(trial.leaks()).toEqual([]);
});

it('T85 B9: a failure that comes after all callers have left is no unhandled rejection', async () => {
  const trial = await TokenTrial.start({ token: { maxAttempts: 1 } });
  const held = await holdWithoutCallers(trial);
  trial.provider.token.status(500);
  await trial.provider.close();
  held.release();
  await expect.poll(() => trial.tokens.status().state).toBe('failing');
  expect(trial.leaks()).toEqual([]);
});

// A definition with `expiresIn` has answers without a lifetime.
it('S11: a token that expired on its way is of no use', async () => {
  const trial = await TokenTrial.start({
    token: { maxAttempts: 1 },
    simulator: { lifetimeSeconds: 0.05, latencyMs: 150 },
  });
  const { error } = await trial.ask();
  expect(error).toMatchObject({ code: 'TOKEN_UNAVAILABLE', status: 200 });
  expect(String(error)).toContain('expired before its answer arrived');
  expect(trial.leaks()).toEqual([]);
});

/** Holds a token request whose only caller has left. */
async function holdWithoutCallers({ provider, tokens }: TokenTrial) {
  const held = provider.token.hold();
  const abort = new AbortController();
  const left = errorOf(tokens.getToken({ signal: abort.signal }));
  abort.abort();
  await left;
  return held;
}
