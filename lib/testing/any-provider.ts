import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { partsOf, type ProviderParts } from '../module/parts.js';

/** What `defineProvider` returned, whatever it defines. */
export interface AnyProvider {
  /** The name in the definition. */
  readonly name: string;
  /** Every pair of interface and environment. */
  readonly pairs: readonly ProviderPair<string, string>[];
  /** The options from environment variables. */
  readonly config: () => object;
}

/** The names of the interfaces of a provider. */
export type InterfaceOf<Provider extends AnyProvider> = Provider['pairs'][number]['interface'];

/** The names of the environments of a provider. */
export type EnvironmentOf<Provider extends AnyProvider> = Provider['pairs'][number]['environment'];

/** The options of the module of a provider. */
export type OptionsOf<Provider extends AnyProvider> = ReturnType<Provider['config']>;

export function requiredPartsOf(provider: AnyProvider): ProviderParts {
  const parts = partsOf(provider);
  if (parts === undefined)
    throw new TypeError('`provider` must be what defineProvider() returned. Pass that object itself.');
  return parts;
}
