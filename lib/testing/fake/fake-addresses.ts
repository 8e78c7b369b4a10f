import { type AnyPair, BUILT_IN_NAME, type Catalogue } from '../../catalogue/catalogue.js';

/** @see RFC 2606 section 2: no host under `invalid` can exist. */
export function fakeAddresses({ name: provider, entryOf }: Catalogue) {
  const hostOf = (...labels: readonly string[]): string =>
    [...labels, ...(provider === BUILT_IN_NAME ? [] : [provider]), 'invalid'].join('.').toLowerCase();
  return {
    baseUrl: ({ interface: name, environment }: AnyPair) => `https://${hostOf(name, environment)}`,
    issuer: ({ interface: name, environment }: AnyPair) => `https://${hostOf('issuer', name, environment)}`,
    tokenUrl: ({ interface: name, environment }: AnyPair) => {
      const { tokenUrlPer, tokenPathExample } = entryOf(name);
      const host = tokenUrlPer === 'interface' ? hostOf('login', name) : hostOf('login', name, environment);
      return `https://${host}${tokenPathExample}`;
    },
  };
}
