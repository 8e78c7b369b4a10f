import { describe, expect, it } from 'vitest';
import type { InterfaceTerms } from '../../../../lib/catalogue/catalogue.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetPlace } from '../../../../lib/token/fleet/place.js';
import { ClientAuthority } from '../../../support/http/client-certificates.js';
import { CANARY, profileOf } from '../../../support/token/token-fixtures.js';

const secret = new Secret(CANARY.secret);
const content = { token: CANARY.token, lifetimeMs: 1, obtainedAt: 2, endsAt: 3 };

/** The certificate of a client, whose private key was thrown away. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdjCCARugAwIBAgIUaKid5ZPLDevrsVDKjR5cT9vmiLcwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEc2hvcDAgFw0yNjExMjcwNzU4MDJaGA8yMTI2MTEwMzA3NTgw
MlowDzENMAsGA1UEAwwEc2hvcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKqS
duAg/lVwiyFefNKR/GfzKOxaim3pRnB+ciXF4aKuQSsbbm23EMbShSfPs6Ha4DAX
sISMnn6rDNhEZ2Sx5KSjUzBRMB0GA1UdDgQWBBRTseEElccpJEXpOcFqxRoKK63l
7zAfBgNVHSMEGDAWgBRTseEElccpJEXpOcFqxRoKK63l7zAPBgNVHRMBAf8EBTAD
AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCu7legytr5CQ/2K+8JHsSfOqvPPh2ngpxP
k0OzzOMedQIhAMRBVxOiZJpKOTKbhgX38iLjg/PLBgDc3tZuAXT/MTMV
-----END CERTIFICATE-----`;

/** A JWT with these claims. Only the token endpoint verifies the signature. */
function assertionOf(claims: object): string {
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
}

function nameOf(terms: InterfaceTerms): string {
  return new FleetPlace(profileOf({ provider: 'warehouse', terms }), secret).name;
}

describe('B11: the name of an entry', () => {
  it('S5: is the same for the same token URL, client id and secret, whatever the interface', () => {
    const one = new FleetPlace(profileOf(), secret);
    const other = new FleetPlace(
      profileOf({ interface: 'originations', active: false }),
      new Secret(CANARY.secret),
    );
    expect(other.name).toBe(one.name);
  });

  it('S5: is another for another token URL, client id or secret', () => {
    const names = [
      new FleetPlace(profileOf(), secret),
      new FleetPlace(profileOf({ tokenUrl: 'https://127.0.0.1:9/auth/v1/connect/token' }), secret),
      new FleetPlace(profileOf({ clientId: new Secret('another') }), secret),
      new FleetPlace(profileOf(), new Secret('another')),
    ].map(({ name }) => name);
    expect(new Set(names).size).toBe(4);
  });

  it('B31: is another for each provider, interface and environment of definitions, also with one client', () => {
    const of = { provider: 'warehouse', interface: 'stock', environment: 'test' };
    const names = [
      of,
      { ...of, provider: 'shop' },
      { ...of, interface: 'orders' },
      { ...of, environment: 'live' },
    ];
    expect(new Set(names.map((pair) => new FleetPlace(profileOf(pair), secret).name)).size).toBe(4);
  });

  it('B31: is another for other params, another grantType or other resources', () => {
    const terms: readonly InterfaceTerms[] = [
      {},
      { params: { account_id: 'a' } },
      { params: { account_id: 'b' } },
      { params: { account: 'a' } },
      { grantType: 'account_credentials' },
      { grantType: 'account_credentials', params: { account_id: 'a' } },
      { resource: 'urn:a' },
      { resource: ['urn:a', 'urn:b'] },
      { resource: 'urn:a,urn:b' },
    ];
    expect(new Set(terms.map(nameOf)).size).toBe(terms.length);
    expect(nameOf({ params: { a: '1', b: '2' } })).toBe(nameOf({ params: { b: '2', a: '1' } }));
  });

  it('B11: is the same in each release, also with params, an assertion or a certificate', () => {
    const key = new Secret('k'.repeat(32));
    const assertion = new Secret(assertionOf({ iss: 'a', sub: 'b' }));
    const named = (credential: 'assertion' | 'certificate', given: Secret) =>
      FleetPlace.of(profileOf({ provider: 'cluster', credential }), given, key)?.name;
    expect([
      nameOf({ params: { b: '2', a: '1', c: '3' } }),
      named('assertion', assertion),
      named('certificate', new Secret(CERTIFICATE)),
    ]).toEqual([
      'v2-27WofWwLP8otZbNi9XAsaepkEW6mynA3fyrURBI5Qwc',
      'v2-LHphjTlGop60Dqb3PsIuZGQPty-0h4mgTbPfvkE30bY',
      'v2-8MIu35vI9wpx1XJ1bGcAZvo0B1C8z_ZNSNG3PDajBQc',
    ]);
  });

  it('B32: for a client without a key, is another for each identity, and is undefined if there is no identity', async () => {
    const key = new Secret('k'.repeat(32));
    const orders = profileOf({ provider: 'cluster', credential: 'assertion', terms: { scope: 'a' } });
    const named = (claims: object, profile = orders, sealKey: Secret | undefined = key) =>
      FleetPlace.of(profile, new Secret(assertionOf(claims)), sealKey)?.name;
    const one = { iss: 'a', sub: 'b' };
    const authority = await ClientAuthority.create();
    const certificates = [await authority.issue('shop'), await authority.issue('shop')];
    const stock = profileOf({ provider: 'cluster', credential: 'certificate', terms: { scope: 'a' } });
    const names = [
      named(one),
      named({ ...one, sub: 'c' }),
      named({ ...one, iss: 'c' }),
      named({ iss: 'b', sub: 'a' }),
      named(one, { ...orders, tokenUrl: 'https://127.0.0.1:9/token' }),
      named(one, { ...orders, clientId: undefined }),
      named(one, { ...orders, terms: { scope: 'b' } }),
      named(one, orders, new Secret('l'.repeat(32))),
      ...certificates.map(({ cert }) => FleetPlace.of(stock, new Secret(cert), key)?.name),
    ];
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(names.length);
    // A renewed assertion of the same client, and a file with the certificates of the authorities.
    expect(named({ ...one, jti: '2', exp: 3 })).toBe(names[0]);
    const [{ cert } = { cert: '' }] = certificates;
    expect(FleetPlace.of(stock, new Secret(`shop\n${cert}\n${authority.ca}`), key)?.name).toBe(names.at(-2));
    const unknown = [{ iss: 'a' }, { sub: 'b' }, { iss: 'a', sub: '' }, { iss: 1, sub: 'b' }, [one]];
    expect(unknown.map((claims) => named(claims))).toEqual(unknown.map(() => undefined));
    expect(FleetPlace.of(orders, new Secret('no JWT'), key)).toBeUndefined();
    expect(FleetPlace.of(orders, new Secret(assertionOf(one)))).toBeUndefined();
  });

  it('B32: for a client with a secret or a private key, does not depend on the seal key', () => {
    const sealKey = new Secret('k'.repeat(32));
    for (const credential of ['secret', 'key'] as const)
      expect(FleetPlace.of(profileOf({ credential }), secret, sealKey)?.name).toBe(
        new FleetPlace(profileOf(), secret).name,
      );
  });
});

describe('B11: the seal', () => {
  const entry = new FleetPlace(profileOf(), secret);

  it('opens for a process with the same secret, and not elsewhere, nor as something else', () => {
    const sealed = entry.seal('token', content);
    expect(new FleetPlace(profileOf(), new Secret(CANARY.secret)).open('token', sealed)).toEqual(content);
    const ofOtherId = new FleetPlace(profileOf({ clientId: new Secret('b') }), secret);
    for (const other of [new FleetPlace(profileOf(), new Secret('another')), ofOtherId])
      expect(other.open('token', sealed)).toBeUndefined();
    expect(entry.open('failure', sealed)).toBeUndefined();
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
