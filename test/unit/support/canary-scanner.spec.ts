import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../lib/secrets/secret.js';
import { CanaryScanner } from '../../support/secrets/canary-scanner.js';
import { CANARY } from '../../support/token/token-fixtures.js';

const secret = CANARY.secret;
const scanner = new CanaryScanner(CANARY);

/** An object that holds the secret where only a careful search finds it. */
class Getter {
  readonly #value = secret;
  get value(): string {
    return this.#value;
  }
}

class Printed {
  readonly #value = secret;
  [inspect.custom](): string {
    return `Printed ${this.#value}`;
  }
}

class Serialised {
  readonly #value = secret;
  toJSON(): string {
    return this.#value;
  }
}

function circular(): object {
  const circle: Record<string, unknown> = { deep: { deeper: { deepest: { secret } } } };
  circle['self'] = circle;
  return circle;
}

function withListener(): EventEmitter {
  const emitter = new EventEmitter();
  emitter.on(
    'end',
    Object.assign(() => {}, { secret }),
  );
  return emitter;
}

const bytes = Buffer.from(secret);

const PLANTED: Record<string, unknown> = {
  'a text': `The secret is ${secret}.`,
  'a property': { secret },
  'a key': { [secret]: 1 },
  'a hidden property': Object.defineProperty({}, 'secret', { value: secret }),
  'a symbol property': { [Symbol('hidden')]: secret },
  'a symbol': { key: Symbol(secret) },
  'a hidden symbol property': Object.defineProperty({}, Symbol('hidden'), { value: secret }),
  'an own getter': Object.defineProperty({}, 'secret', { get: () => secret }),
  'a getter of a prototype': new Getter(),
  'a getter of a grandparent': Object.create(new Getter(), {}),
  'a property of a prototype instance': { inner: Object.assign(Object.create(null) as object, { secret }) },
  'a custom inspection': new Printed(),
  toJSON: new Serialised(),
  'an array': [[[[secret]]]],
  'a Map value': new Map([['a', new Map([['b', secret]])]]),
  'a Map key': new Map([[secret, 1]]),
  'a Set': new Set([secret]),
  'an error message': new Error(secret),
  'an error cause': new Error('a', { cause: new Error('b', { cause: { secret } }) }),
  'an aggregate error': new AggregateError([new Error(secret)]),
  'a stack': Object.assign(new Error('a'), { stack: `Error: ${secret}` }),
  'a property of an error': Object.assign(new Error('a'), { config: { data: secret } }),
  'a circle': circular(),
  'a listener': withListener(),
  'a property of a function': Object.assign(() => {}, { secret }),
  'the name of a function': Object.defineProperty(() => {}, 'name', { value: secret }),
  'a Buffer': { data: bytes },
  'a part of a bigger ArrayBuffer': { data: new Uint8Array(Buffer.concat([Buffer.alloc(99), bytes])) },
  'an ArrayBuffer': { data: new Uint8Array(bytes).buffer },
  'a DataView': new DataView(new Uint8Array(bytes).buffer),
  'UTF-16 bytes': Buffer.from(secret, 'utf16le'),
  'an array of bytes': { data: [...bytes] },
  'a URL': new URL(`https://h/?q=${encodeURIComponent(secret)}`),
  'URL user information': new URL(`https://me:${encodeURIComponent(secret)}@h/`),
  'search parameters': new URLSearchParams({ secret }),
  'a header': new Headers({ authorization: `Bearer ${CANARY.token}` }),
  'a boxed string': { boxed: Object(secret) as unknown },
  'a pattern': new RegExp(`^${'a'.repeat(3)}${CANARY.token.slice(0, 12)}`),
  'a frozen object': Object.freeze({ a: Object.freeze({ secret }) }),
  'a proxy': new Proxy({ secret }, {}),
  'characters with NUL between': `x${secret.split('').join('\0')}\0`,
  'a revoked neighbour': { a: revoked(), secret },
  'a throwing neighbour': Object.defineProperty({ secret }, 'a', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  }),
  'a large string': `${'x'.repeat(100_000)}${secret}`,
  'the end of a long array': [...Array.from({ length: 5_000 }, () => 'x'), secret],
};
function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const FORMS: Record<string, string> = {
  raw: secret,
  'in lower case': secret.toLowerCase(),
  percent: encodeURIComponent(secret),
  'lower-case percent': encodeURIComponent(secret).toLowerCase(),
  'percent twice': encodeURIComponent(encodeURIComponent(secret)),
  'percent to the last character': [...bytes]
    .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
    .join(''),
  form: new URLSearchParams({ a: secret }).toString(),
  base64: bytes.toString('base64'),
  'base64 of credentials': Buffer.from(`id:${secret}`).toString('base64'),
  'base64 at another offset': Buffer.from(`i:${secret}!`).toString('base64'),
  'base64 at the third offset': Buffer.from(`${secret}::`).toString('base64'),
  base64url: Buffer.from(`xx${secret}`).toString('base64url'),
  hex: bytes.toString('hex'),
  'upper-case hex': bytes.toString('hex').toUpperCase(),
  'hex in pairs': bytes.toString('hex').match(/../g)?.join(' ') ?? '',
  'a byte list': `[${bytes.join(',')}]`,
  'a spaced byte list': `[ ${bytes.join(', ')} ]`,
  JSON: JSON.stringify({ secret }),
  'JSON in JSON': JSON.stringify(JSON.stringify({ secret })),
  'JSON of a Buffer': JSON.stringify(bytes),
  'an inspected Buffer': inspect(bytes),
  'an inspected string': inspect(secret),
  'ASCII JSON': JSON.stringify(secret).replaceAll('ü', '\\u00fc'),
  HTML: secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  mojibake: bytes.toString('latin1'),
  'the first half': secret.slice(0, 20),
  'the second half': secret.slice(-20),
  backwards: secret.split('').toReversed().join(''),
};

describe('CanaryScanner', () => {
  it.each(Object.entries(PLANTED))('finds a secret planted in %s', (_, value) => {
    expect(scanner.scan(value)).not.toEqual([]);
  });

  it.each(Object.entries(FORMS))('finds a secret written as %s', (_, text) => {
    expect(scanner.scanText(`before ${text} after`)).toMatchObject([{ canary: 'secret' }]);
  });

  it.each(Object.entries(CANARY))('finds the %s', (canary, value) => {
    expect(new Set(scanner.scan({ a: [value] }).map((leak) => leak.canary))).toEqual(new Set([canary]));
  });

  it('says where', () => {
    const places = scanner.scan({ a: { b: Object.defineProperty({}, 'c', { value: secret }) } }, 'it');
    expect(places).toContainEqual({ canary: 'secret', form: 'raw', where: 'it.a.b.c' });
  });

  it('looks for a secret that became known later', () => {
    const own = new CanaryScanner({});
    own.add('token', CANARY.token);
    expect(own.scan(`Bearer ${CANARY.token}`)).not.toEqual([]);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a redacted secret', { secret: new Secret(secret), list: [new Secret(CANARY.token)] }],
    ['a closure', { secret: () => secret }],
    ['an unrelated error', new Error('nothing here', { cause: new TypeError('nor here') })],
    ['an error code', 'invalid_client'],
    ['unrelated bytes', Buffer.alloc(1000, 'abc')],
  ])('finds nothing in %s', (_, value) => {
    expect(scanner.scan(value)).toEqual([]);
  });

  it('refuses a canary that would turn up everywhere', () => {
    expect(() => new CanaryScanner({ short: 'abc' })).toThrow('short');
  });
});
