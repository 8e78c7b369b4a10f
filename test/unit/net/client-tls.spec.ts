import { beforeAll, describe, expect, it } from 'vitest';
import { readCertificatesAfter } from '../../../lib/errors/changed-certificates.js';
import { ClientTls, MadeOfTls, type PemTexts, type TlsFlaw } from '../../../lib/net/client-tls.js';
import { ClientAuthority } from '../../support/http/client-certificates.js';
import { FakeClock, settled } from '../../support/token/fake-clock.js';

const PAIR = { provider: 'provider', interface: 'easy', environment: 'sandbox' };
const DAY = 24 * 60 * 60 * 1000;
const FLAW: TlsFlaw = { setting: 'KEY_FILE', flaw: 'does not belong to the certificate.' };

let authority: ClientAuthority;
let first: PemTexts;
let second: PemTexts;

beforeAll(async () => {
  authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

/** Values whose source the test changes, and whose readings the test can hold up. */
function givenTls(pem = first) {
  const clock = new FakeClock();
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const state = { now: pem as PemTexts | TlsFlaw, readings: 0, held: Promise.resolve(), lines, clock };
  const source = {
    pair: PAIR,
    cert: 'CERT_FILE',
    async read(isCurrent: (given: PemTexts) => boolean) {
      state.readings += 1;
      const { now } = state;
      await state.held;
      if ('flaw' in now) return now;
      return isCurrent(now) ? undefined : new ClientTls(now);
    },
  };
  const tls = new ClientTls(pem, source, clock, { warn: log, log });
  return Object.assign(state, { tls });
}

/** Values whose client certificate ends in so many days. */
async function endingIn(days: number) {
  const notAfter = new Date(new FakeClock().wall() + days * DAY);
  return givenTls(await authority.issue('ending', { notAfter }));
}

describe('B34: certificates that change', () => {
  it('B34: are read again at most every 30 s, when a request looks', async () => {
    const given = givenTls();
    const { tls, clock } = given;
    const before = tls.version;
    given.now = second;
    await clock.advance(29_999);
    tls.look();
    await settled();
    expect([given.readings, tls.version]).toEqual([0, before]);
    await clock.advance(1);
    expect(given.readings).toBe(0);
    for (let request = 0; request < 100; request += 1) tls.look();
    // The request that looks does not wait.
    expect(tls.version).toBe(before);
    await settled();
    expect(given.readings).toBe(1);
    expect(tls.version).not.toBe(before);
    expect(given.lines).toEqual(['The certificates of easy sandbox have changed. New connections use them.']);
    tls.look();
    await clock.advance(29_999);
    tls.look();
    expect(given.readings).toBe(1);
    expect(clock.history).toEqual([]);
  });

  it('B34: bring new contexts, new authorities and another end', async () => {
    const given = givenTls({ ...first, ca: authority.ca });
    const { tls, clock } = given;
    const [context, endsAt] = [tls.secureContext(), tls.endsAt];
    expect(tls.secureContext()).toBe(context);
    expect([tls.ca, tls.certificate()]).toEqual([authority.ca, first.cert]);
    given.now = await authority.issue('third', { notAfter: new Date('2050-01-01T00:00:00Z') });
    await clock.advance(30_000);
    tls.look();
    await settled();
    expect(tls.secureContext()).not.toBe(context);
    expect([tls.ca, tls.certificate()]).toEqual([undefined, given.now.cert]);
    expect([endsAt, tls.endsAt]).toEqual([new Date('2099-12-31'), new Date('2050-01-01')]);
  });

  it.each(['ca', 'cert', 'key', undefined] as const)(
    'B34: change if only their %s has changed',
    async (name) => {
      const pem: PemTexts = { ...first, ca: authority.ca };
      const given = givenTls(pem);
      const before = given.tls.version;
      // PEM allows empty lines, so these are other texts that still belong together.
      given.now = { ...pem, ...(name && { [name]: `${pem[name]}\n` }) };
      await given.clock.advance(30_000);
      given.tls.look();
      await settled();
      expect([given.readings, given.tls.version !== before]).toEqual([1, name !== undefined]);
    },
  );

  it('B34: are read at once after a TLS failure, once for all requests that failed', async () => {
    const given = givenTls();
    const before = given.tls.version;
    given.now = second;
    const failed = Array.from({ length: 10 }, () => given.tls.readAgainSince(before));
    expect(await Promise.all(failed)).toEqual(Array.from({ length: 10 }, () => true));
    expect(given.readings).toBe(1);
    // This request failed with the old ones, too, but later: another reading would bring nothing.
    expect(await given.tls.readAgainSince(before)).toBe(true);
    expect(given.readings).toBe(1);
    expect(await given.tls.readAgainSince(given.tls.version)).toBe(false);
    expect(given.readings).toBe(2);
  });

  it('B34: are read once more after a TLS failure, if the reading under way began before the change', async () => {
    const given = givenTls();
    let release: (() => void) | undefined;
    given.held = new Promise((resolve) => (release = resolve));
    await given.clock.advance(30_000);
    given.tls.look();
    given.now = second;
    const hasChanged = given.tls.readAgainSince(given.tls.version);
    release?.();
    expect(await hasChanged).toBe(true);
    expect(given.readings).toBe(2);
  });

  it('B34: half a change leaves the old ones in use and is one warning until it is right', async () => {
    const given = givenTls();
    const { tls, clock, lines } = given;
    const before = tls.version;
    const look = async (now: PemTexts | TlsFlaw): Promise<void> => {
      given.now = now;
      await clock.advance(30_000);
      tls.look();
      await settled();
    };
    for (let times = 0; times < 5; times += 1) await look(FLAW);
    expect(tls.version).toBe(before);
    expect(lines).toEqual([
      'The certificates of easy sandbox have changed, but cannot be used: KEY_FILE does not belong to the certificate. ' +
        'Connections still use the old certificates. (CERTIFICATE_UNREADABLE, KEY_FILE)',
    ]);
    await look(second);
    expect(tls.version).not.toBe(before);
    await look(FLAW);
    // The old content again is right, too.
    await look(second);
    await look(FLAW);
    expect(lines.filter((line) => line.includes('CERTIFICATE_UNREADABLE'))).toHaveLength(3);
  });

  it('B34: a volume that is replaced between two files is read once more, and is no warning', async () => {
    const given = givenTls();
    given.now = FLAW;
    await given.clock.advance(30_000);
    given.tls.look();
    given.now = second;
    await settled();
    expect(given.lines).toEqual(['The certificates of easy sandbox have changed. New connections use them.']);
  });

  it('B34: are read again after a reset at most once a second, also without a change', async () => {
    const given = givenTls();
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    for (let failed = 0; failed < 30; failed += 1) {
      await given.clock.advance(100);
      expect(await readCertificatesAfter(reset, given.tls, given.tls.version)).toBe(false);
      await settled();
    }
    expect(given.readings).toBe(3);
  });

  it('B34: certificates without a source are never read again, and have no warning', async () => {
    const { clock, lines } = givenTls();
    const log = (line: string): void => void lines.push(line);
    const notAfter = new Date(clock.wall() + DAY);
    const tls = new ClientTls(await authority.issue('ending', { notAfter }), undefined, clock, {
      warn: log,
      log,
    });
    await clock.advance(30_000);
    tls.look();
    expect(await tls.readAgainSince(tls.version)).toBe(false);
    expect([tls.endsAt, tls.endWarning, lines]).toEqual([notAfter, undefined, []]);
  });
});

describe('B34: a client certificate that ends', () => {
  it('B34: within 14 days is one warning a day', async () => {
    const { tls, clock, lines } = await endingIn(15);
    tls.warnOfEnd();
    expect(lines).toEqual([]);
    // 48 times a day.
    const day = async (): Promise<void> => {
      for (let half = 0; half < 48; half += 1) {
        await clock.advance(DAY / 48);
        tls.look();
        await settled();
      }
    };
    await day();
    expect(lines).toEqual([]);
    await day();
    expect(lines).toEqual([
      'The client certificate of easy sandbox expires in 13 days, on 2026-03-16T12:00:00.000Z. ' +
        'Put a new one into CERT_FILE. (CERTIFICATE_ENDS, CERT_FILE)',
    ]);
    await day();
    await day();
    expect(lines).toHaveLength(3);
  });

  it.each([
    // A certificate is valid in its last second, too.
    [0, 'less than a day'],
    [0.9, 'less than a day'],
    [1.9, 'one day'],
    [2, '2 days'],
  ])('B34: in %d days is said in words', async (days, words) => {
    expect((await endingIn(days)).tls.endWarning).toContain(`easy sandbox expires in ${words}, on 2026-03-`);
  });

  it('B34: says so after its end, too', async () => {
    const { tls, clock, lines } = await endingIn(1);
    await clock.advance(2 * DAY);
    tls.warnOfEnd();
    tls.warnOfEnd();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('easy sandbox has expired, on 2026-03-02T12:00:00.000Z.');
  });

  it('B34: is no subject without a client certificate', () => {
    const { tls, lines } = givenTls({ ca: authority.ca });
    tls.warnOfEnd();
    expect([tls.endsAt, tls.endWarning, lines]).toEqual([undefined, undefined, []]);
  });
});

it('B34: what is made with certificates is made again after a change, and the old one is retired', () => {
  const versions = { version: Symbol('first') };
  const retired: number[] = [];
  let made = 0;
  const agents = new MadeOfTls(
    versions,
    () => (made += 1),
    (old) => retired.push(old),
  );
  agents.retire();
  expect([agents.current, agents.current, retired]).toEqual([1, 1, []]);
  versions.version = Symbol('second');
  expect([agents.current, agents.current, retired]).toEqual([2, 2, [1]]);
  agents.retire();
  expect(retired).toEqual([1, 2]);
});
