import { describe, expect, it } from 'vitest';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { CANARY, profileOf } from '../../../support/token/token-fixtures.js';

const secret = new Secret(CANARY.secret);
const content = { token: CANARY.token, lifetimeMs: 1 };
const members = new Map<string, unknown>(Object.entries(content));

/** Processes of two releases share a store while a fleet is rolled over. */
const SEALED_BY_VERSION_1 =
  'AQpl6KwRQMAldvFzgPTRDP6ye5cqM2nXgA4WaJmQv61AFVS26WBBIrSaPhVmXZlYUMBGbNYR2j-JgB2TCSWucDTHJUbvSs48Q33M1zvqUg';

it('B11: opens what was sealed by the first release', () => {
  const entry = new FleetEntry(profileOf(), secret);
  expect(entry.open('token', SEALED_BY_VERSION_1)).toEqual(members);
});

describe('B11: the name of an entry', () => {
  it('S5: is the same for the same token URL, client id and secret, whatever the interface', () => {
    const one = new FleetEntry(profileOf(), secret);
    const other = new FleetEntry(
      profileOf({ interface: 'originations', active: false }),
      new Secret(CANARY.secret),
    );
    expect(other.name).toBe(one.name);
  });

  it('S5: is another for another token URL, client id or secret', () => {
    const names = [
      new FleetEntry(profileOf(), secret),
      new FleetEntry(profileOf({ tokenUrl: 'https://127.0.0.1:9/auth/v1/connect/token' }), secret),
      new FleetEntry(profileOf({ clientId: new Secret('another') }), secret),
      new FleetEntry(profileOf(), new Secret('another')),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
  });

  it('B11: holds a digest only', () => {
    expect(new FleetEntry(profileOf(), secret).name).toMatch(/^[\w-]{43}$/);
  });
});

describe('B11: the seal', () => {
  const entry = new FleetEntry(profileOf(), secret);

  it('opens for a process with the same secret', () => {
    const sealed = entry.seal('token', content);
    expect(new FleetEntry(profileOf(), new Secret(CANARY.secret)).open('token', sealed)).toEqual(members);
  });

  it('shows nothing of what it holds, and never the same twice', () => {
    const [one, other] = [entry.seal('token', content), entry.seal('token', content)];
    expect(one).not.toBe(other);
    const bytes = Buffer.from(one, 'base64url').toString('latin1');
    for (const canary of Object.values(CANARY)) expect(bytes).not.toContain(canary.slice(0, 6));
  });

  it('does not open elsewhere, nor as something else', () => {
    const sealed = entry.seal('token', content);
    expect(new FleetEntry(profileOf(), new Secret('another')).open('token', sealed)).toBeUndefined();
    expect(
      new FleetEntry(profileOf({ clientId: new Secret('b') }), secret).open('token', sealed),
    ).toBeUndefined();
    expect(entry.open('failure', sealed)).toBeUndefined();
  });

  it.each(['=', '==', ' ', '\n', '!', 'A'])('does not open with %j behind it', (more) => {
    expect(entry.open('token', entry.seal('token', content) + more)).toBeUndefined();
  });

  it('does not open with any single bit flipped, or cut anywhere', () => {
    const bytes = Buffer.from(entry.seal('token', content), 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const altered = Buffer.from(bytes);
      const at = bit >> 3;
      altered[at] = (altered[at] ?? 0) ^ (1 << (bit & 7));
      expect(entry.open('token', altered.toString('base64url'))).toBeUndefined();
    }
    for (let length = 0; length < bytes.length; length += 1)
      expect(entry.open('token', bytes.subarray(0, length).toString('base64url'))).toBeUndefined();
  });
});
