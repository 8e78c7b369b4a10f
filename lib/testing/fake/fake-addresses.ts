import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';

/** @see RFC 2606 section 2: no host under `invalid` can exist. */
export const fakeAddresses = (catalogue: Pick<Catalogue, 'entryOf'>) => ({
  baseUrl: ({ interface: name, environment }: AnyPair) => `https://${name}.${environment}.invalid`,
  tokenUrl: ({ interface: name, environment }: AnyPair) => {
    const { tokenUrlPer, tokenPathExample } = catalogue.entryOf(name);
    const host = tokenUrlPer === 'interface' ? name : `${name}.${environment}`;
    return `https://login.${host}.invalid${tokenPathExample}`;
  },
});
