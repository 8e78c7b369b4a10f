import { PROVIDER_CATALOGUE, type ProviderPair } from '../../catalogue/provider-catalogue.js';

/** @see RFC 2606 section 2: no host under `invalid` can exist. */
export const FAKE_ADDRESSES = {
  baseUrl: ({ interface: name, environment }: ProviderPair) => `https://${name}.${environment}.invalid`,
  tokenUrl: ({ interface: name, environment }: ProviderPair) => {
    const { tokenUrlPer, tokenPathExample } = PROVIDER_CATALOGUE[name];
    const host = tokenUrlPer === 'interface' ? name : `${name}.${environment}`;
    return `https://login.${host}.invalid${tokenPathExample}`;
  },
};
