import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { revealed, Secret } from '../../../lib/secrets/secret.js';
import { CANARY } from '../../support/token/token-fixtures.js';

const secret = new Secret(CANARY.secret);

describe('Secret', () => {
  it('gives its value to reveal()', () => {
    expect(secret.reveal()).toBe(CANARY.secret);
  });

  it.each([
    ['toString()', () => secret.toString()],
    ['String()', () => String(secret)],
    ['a template', () => `it is ${secret as unknown as string}`.slice('it is '.length)],
    ['toLocaleString()', () => secret.toLocaleString()],
    ['toJSON()', () => secret.toJSON()],
    ['inspect', () => inspect(secret)],
    ['format %s', () => format('%s', secret)],
    ['format %o', () => format('%o', secret)],
  ])('S10: is [redacted] by %s', (_how, render) => {
    expect(render()).toBe('[redacted]');
  });

  it('S10: is [redacted] wherever it lies in JSON', () => {
    expect(JSON.stringify({ of: [secret] })).toBe('{"of":["[redacted]"]}');
  });

  it('cannot be given other ways of printing', () => {
    expect(Object.isFrozen(secret)).toBe(true);
    expect(Reflect.set(secret, 'toString', () => secret.reveal())).toBe(false);
  });

  it('lets a subclass have its own fields', () => {
    class NamedSecret extends Secret {
      readonly name = 'a name';
    }
    expect(new NamedSecret(CANARY.secret)).toMatchObject({ name: 'a name' });
  });

  it('equals one of the same value, and no other', () => {
    expect(secret.equals(new Secret(CANARY.secret))).toBe(true);
    expect(secret.equals(new Secret(`${CANARY.secret} `))).toBe(false);
  });
});

describe('a value of the options that may be a secret', () => {
  it('C4: a secret is its text, also a secret of another copy of the package', () => {
    const ofOtherCopy = {
      value: 'text',
      reveal(): string {
        return this.value;
      },
    };
    expect([revealed(secret), revealed(ofOtherCopy)]).toEqual([CANARY.secret, 'text']);
  });

  it.each([
    ['a text', 'text'],
    ['a number', 7],
    ['null', null],
    ['undefined', undefined],
    ['an object', { text: 'text' }],
    ['an object whose reveal is no function', { reveal: 'text' }],
    ['a function', Object.assign(() => 'text', { reveal: () => 'text' })],
  ])('C4: anything else stays as it is: %s', (_, value) => {
    expect(revealed(value)).toBe(value);
  });
});
