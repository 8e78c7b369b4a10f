import type { InterfaceEntry } from './catalogue.js';

/*
 * The built-in provider, as data. Its definition is `module/built-in.ts`. Other files import only the types below, for
 * the names that a user may write.
 */

/** The environments of every interface. Each environment has its own credentials (S5). */
export const PROVIDER_ENVIRONMENTS = ['sandbox', 'production'] as const;

/** An environment of the provider: `'sandbox'` or `'production'`. */
export type ProviderEnvironment = (typeof PROVIDER_ENVIRONMENTS)[number];

/**
 * Every interface of the provider, as data. A new interface needs an entry here, and a class in
 * `http/provider-http-services.ts` that `index.ts` exports. Options, variables and injection tokens follow from this table.
 */
export const PROVIDER_CATALOGUE = {
  originations: {
    tokenUrlPer: 'interface',
    tokenPath: /\/oauth\/token$/,
    tokenPathExample: '/oauth/token',
    unshared: ['clientId'],
  },
  easy: {
    tokenUrlPer: 'environment',
    tokenPath: /\/auth\/v\d+\/connect\/token$/,
    tokenPathExample: '/auth/v0/connect/token',
    unshared: ['clientId', 'tokenUrl'],
  },
} as const satisfies Record<string, InterfaceEntry>;

/** An interface of the provider: `'originations'` or `'easy'`. */
export type ProviderInterface = keyof typeof PROVIDER_CATALOGUE;

/** A name of any provider: errors and events may be about one of your own. Editors still complete the built-in names. */
export type OrOwnName<BuiltIn extends string> = BuiltIn | (string & Record<never, never>);

/** An interface and an environment. A token belongs to one such pair. */
export interface ProviderPair<
  Interface extends string = ProviderInterface,
  Environment extends string = ProviderEnvironment,
> {
  /** The provider's interface. */
  readonly interface: Interface;
  /** The interface's environment. */
  readonly environment: Environment;
}
