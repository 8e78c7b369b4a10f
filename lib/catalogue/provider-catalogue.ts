/** The environments of every interface. Each environment has its own credentials (S5). */
export const PROVIDER_ENVIRONMENTS = ['sandbox', 'production'] as const;

/** An environment of the provider: `'sandbox'` or `'production'`. */
export type ProviderEnvironment = (typeof PROVIDER_ENVIRONMENTS)[number];

/** What the provider's document says about one interface. */
interface InterfaceEntry {
  /** Whether all environments have the same token URL, or each environment has its own (S4). */
  readonly tokenUrlPer: 'interface' | 'environment';
  /** How the path of a token URL must end (S4). */
  readonly tokenPath: RegExp;
  /** The documented ending, for error messages. */
  readonly tokenPathExample: string;
}

/**
 * Every interface of the provider, as data. A new interface needs an entry here and a class in
 * `http/provider-http-services.ts`. Options, variables and injection tokens follow from this table.
 */
export const PROVIDER_CATALOGUE = {
  originations: {
    tokenUrlPer: 'interface',
    tokenPath: /\/oauth\/token$/,
    tokenPathExample: '/oauth/token',
  },
  easy: {
    tokenUrlPer: 'environment',
    tokenPath: /\/auth\/v\d+\/connect\/token$/,
    tokenPathExample: '/auth/v0/connect/token',
  },
} as const satisfies Record<string, InterfaceEntry>;

/** An interface of the provider: `'originations'` or `'easy'`. */
export type ProviderInterface = keyof typeof PROVIDER_CATALOGUE;

export const PROVIDER_INTERFACES = Object.keys(PROVIDER_CATALOGUE) as readonly ProviderInterface[];

/** An interface and an environment. A token belongs to one such pair. */
export interface ProviderPair {
  /** The interface of the provider. */
  readonly interface: ProviderInterface;
  /** The environment of that interface. */
  readonly environment: ProviderEnvironment;
}

/** Every pair of interface and environment. */
export const PROVIDER_PAIRS: readonly ProviderPair[] = PROVIDER_INTERFACES.flatMap((name) =>
  PROVIDER_ENVIRONMENTS.map((environment) => ({ interface: name, environment })),
);
