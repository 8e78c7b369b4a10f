import type { AssertionTerms, ClientAuth, ProviderTerms } from '../../../lib/catalogue/catalogue.js';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { partsOf, type ProviderParts } from '../../../lib/module/parts.js';
import { defineProvider, ProviderAuthModule } from '../../../lib/index.js';
import { ProviderSimulator, type ProviderSimulatorOptions } from '../../../lib/testing/index.js';

/** A new member of the terms is a compile error in `TERMS`. */
type Every<Terms> = { readonly [Member in keyof Required<Terms>]: Terms[Member] };

const TERMS = {
  grantType: 'urn:example:grant',
  params: { account_id: 'easy-7' },
  resource: ['https://easy.example/v1', 'https://easy.example/v2'],
  expiresIn: 3_600,
  tokenTypes: ['easy_token', 'Bearer'],
  tokenCharacters: 'visible',
  scheme: 'Easy-Token',
  refusedWith: [401, 403],
  assertion: {
    audience: 'issuer',
    type: 'client-authentication+jwt',
    certificate: 'x5t#S256',
    algorithm: 'ES384',
    lifetimeSeconds: 60,
  },
} as const satisfies Every<ProviderTerms> & { readonly assertion: Every<AssertionTerms> };

/** A definition with every member. Its interface and environments have the names of the built-in provider. */
const everyTerm = defineProvider({
  name: 'every-term',
  environments: ['sandbox', 'production'],
  interfaces: {
    easy: { ...TERMS, clientAuth: 'private_key_jwt', scope: 'easy.read', audience: 'https://easy.example' },
  },
});

/** What a suite needs of a provider with the interface `easy`. */
export interface ProviderUnderTest {
  readonly parts: ProviderParts;
  readonly Module: typeof ProviderAuthModule;
  readonly simulate: (options?: ProviderSimulatorOptions) => Promise<ProviderSimulator>;
}

export const BUILT_IN_PROVIDER: ProviderUnderTest = {
  parts: BUILT_IN,
  Module: ProviderAuthModule,
  simulate: (options) => ProviderSimulator.start(options),
};

/** The types of the built-in provider, because interface and environments have the same names. */
function underTest(provider: typeof everyTerm): ProviderUnderTest {
  return {
    parts: partsOf(provider),
    Module: provider.Module,
    simulate: (options?: ProviderSimulatorOptions) => ProviderSimulator.start({ ...options, provider }),
  } as object as ProviderUnderTest;
}

export const EVERY_TERM = underTest(everyTerm);

/** A definition whose clients authenticate in this way. */
export function authenticatingBy(clientAuth: ClientAuth): ProviderUnderTest {
  const environments = ['sandbox', 'production'] as const;
  const defined = defineProvider({ name: 'easy-one', environments, interfaces: { easy: { clientAuth } } });
  return underTest(defined as object as typeof everyTerm);
}
