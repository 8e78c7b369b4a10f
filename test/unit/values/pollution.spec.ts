import { afterEach, describe, expect, it } from 'vitest';
import { ClientTls } from '../../../lib/net/client-tls.js';
import { isPolluted, withoutInherited, withoutPrototype } from '../../../lib/values/objects.js';
import { addToPrototype } from '../../support/http/pollutions.js';

const added: (() => void)[] = [];

function pollute(name: string, value: unknown): void {
  added.push(addToPrototype(name, { value }));
}

afterEach(() => {
  for (const clean of added.splice(0)) clean();
});

describe('a polluted Object.prototype', () => {
  it('B36: is noticed while it has a member', () => {
    expect(isPolluted()).toBe(false);
    pollute('socketPath', '/evil');
    expect(isPolluted()).toBe(true);
  });

  it('B36: adds no member to options that Node copies', () => {
    const options = { host: 'right.example', secureContext: 'right' };
    expect(withoutInherited(options)).toBe(options);
    pollute('lookup', 'evil');
    pollute('host', 'evil.example');
    const { host, lookup, ...rest }: Record<string, unknown> = { ...withoutInherited(options) };
    expect({ host, lookup, rest }).toEqual({
      host: 'right.example',
      lookup: undefined,
      rest: { secureContext: 'right' },
    });
  });

  it('B36: adds no member to a copy, and takes none away', () => {
    pollute('scope', 'evil');
    expect({ ...withoutPrototype<object>({ scope: 'right' }, { other: 1 }) }).toEqual({
      scope: 'right',
      other: 1,
    });
    expect('scope' in withoutPrototype({})).toBe(false);
  });

  it.each(['checkServerIdentity', 'ciphers', 'minDHSize', 'rejectUnauthorized'])(
    'B36 S9: leaves the value of Node for %s',
    (name) => {
      pollute(name, 'evil');
      expect(Object.hasOwn(withoutInherited({ host: 'right.example' }), name)).toBe(false);
    },
  );

  it('B36 S9: changes no settings of a certificate', () => {
    pollute('secureProtocol', 'evil');
    expect(() => new ClientTls({})).not.toThrow();
  });
});
