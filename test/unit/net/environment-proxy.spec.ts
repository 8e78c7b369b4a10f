import * as fc from 'fast-check';
import { getProxyForUrl } from 'proxy-from-env';
import { describe, expect, it } from 'vitest';
import { mayHaveEnvironmentProxy } from '../../../lib/net/proxy.js';

type Environment = Readonly<Record<string, string>>;

const RUNS = 5_000;

/** Few labels, so that names of hosts and exceptions are often the same. */
const label = fc.constantFrom('a', 'b', 'api', 'example', 'com', 'xn--bcher-kva', '0');
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
const host = fc.oneof(
  { weight: 5, arbitrary: name.filter((text) => !/(^|\.)0$/.test(text)) },
  fc.constantFrom('127.0.0.1', '10.0.0.7', '[::1]', '[fe80::1]', 'localhost', 'example.com.'),
);
const port = fc.constantFrom('', ':443', ':8443', ':80');
const origin = fc.tuple(host, port).map(([text, number]) => new URL(`https://${text}${number}`).origin);

const plainException = fc.oneof(
  fc.tuple(host, fc.constantFrom('', ':443', ':8443')).map((parts) => parts.join('')),
  fc.tuple(fc.constantFrom('.', '*.'), name).map((parts) => parts.join('')),
  fc.constantFrom('*', ''),
);
const oddException = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('', '.', '*', '*.', '**', '..', '-', '::1'),
      fc.oneof(name, host),
      fc.constantFrom('', ':', ':0', ':0443', ':443', ':99999'),
    )
    .map((parts) => parts.join('')),
  fc.stringMatching(/^[a-z.*:\d[\]-]{0,6}$/),
  fc.constantFrom(
    '::1',
    ':443',
    '*:443',
    '*:8443',
    'EXAMPLE.com',
    'https://example.com',
    '10.0.0.0/8',
    'İ.com',
  ),
);

const listOf = (exception: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(exception, { maxLength: 4 }), fc.constantFrom(',', ' ', ', ', '\t', ',,', '\n'))
    .map(([entries, separator]) => entries.join(separator));

const proxy = fc.constantFrom('', 'http://proxy:3128', 'proxy', 'socks5://proxy');

/** A variable in lower case, in upper case, in both or not at all. */
function variable(name: string, value: fc.Arbitrary<string>): fc.Arbitrary<[name: string, value: string][]> {
  const upper = name.toUpperCase();
  return fc
    .tuple(fc.constantFrom([name], [upper], [name, upper], []), value, value)
    .map(([names, first, second]) => names.map((text, index) => [text, index === 0 ? first : second]));
}

function environmentOf(exceptions: fc.Arbitrary<string>): fc.Arbitrary<Environment> {
  return fc
    .tuple(
      variable('https_proxy', proxy),
      variable('all_proxy', proxy),
      variable('http_proxy', proxy),
      variable('no_proxy', exceptions),
    )
    .map((variables) => Object.fromEntries(variables.flat()));
}

/** The decision of the package that axios asks. The package reads the environment of the process. */
function axiosUsesProxy(address: string, environment: Environment): boolean {
  const before = process.env;
  process.env = { ...environment };
  try {
    return getProxyForUrl(`${address}/path`) !== '';
  } finally {
    process.env = before;
  }
}

const cases = (exceptions: fc.Arbitrary<string>) =>
  fc.record({ address: origin, environment: environmentOf(exceptions) });

describe('the proxy of the environment', () => {
  it.each(['https_proxy', 'all_proxy'])(
    'B14: %s may name a proxy, in small letters and in capitals',
    (name) => {
      for (const variable of [name, name.toUpperCase()])
        expect(mayHaveEnvironmentProxy('https://api.example.com', { [variable]: 'http://proxy:3128' })).toBe(
          true,
        );
    },
  );

  it('B14: an exception with a star in its middle is not understood, so it sends no request around the proxy', () => {
    const environment = { https_proxy: 'http://proxy:3128', no_proxy: '.*example.com' };
    expect(mayHaveEnvironmentProxy('https://api.example.com', environment)).toBe(true);
  });

  it('B14: no request goes around a proxy that axios would use', () => {
    const decisions = new Set<string>();
    fc.assert(
      fc.property(cases(listOf(fc.oneof(plainException, oddException))), ({ address, environment }) => {
        const ours = mayHaveEnvironmentProxy(address, environment);
        const ofAxios = axiosUsesProxy(address, environment);
        decisions.add(`${ours} ${ofAxios}`);
        expect(ours || !ofAxios).toBe(true);
      }),
      { numRuns: RUNS },
    );
    expect(decisions).toEqual(new Set(['true true', 'true false', 'false false']));
  });

  it('B14: plain exceptions mean the same as in axios', () => {
    const decisions = new Set<boolean>();
    fc.assert(
      fc.property(cases(listOf(plainException)), ({ address, environment }) => {
        const ours = mayHaveEnvironmentProxy(address, environment);
        decisions.add(ours);
        expect(ours).toBe(axiosUsesProxy(address, environment));
      }),
      { numRuns: RUNS },
    );
    expect(decisions).toEqual(new Set([true, false]));
  });
});
