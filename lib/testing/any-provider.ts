import type { ProviderPair } from '../catalogue/provider-catalogue.js';
import { BUILT_IN } from '../module/built-in.js';
import { partsOf, type ProviderParts } from '../module/parts.js';

/** Anything that `defineProvider` returned. */
export interface AnyProvider {
  /** The definition's name. */
  readonly name: string;
  /** Every pair of interface and environment. */
  readonly pairs: readonly ProviderPair<string, string>[];
  /** The options from environment variables. */
  readonly config: () => object;
}

/** The names of a provider's interfaces. */
export type InterfaceOf<Provider extends AnyProvider> = Provider['pairs'][number]['interface'];

/** The names of a provider's environments. */
export type EnvironmentOf<Provider extends AnyProvider> = Provider['pairs'][number]['environment'];

/** The active environment of a provider in a test: one for all interfaces, or one for each. */
export type EnvironmentsOf<Provider extends AnyProvider> =
  EnvironmentOf<Provider> | { [Interface in InterfaceOf<Provider>]?: EnvironmentOf<Provider> };

/** The options for a provider's module. */
export type OptionsOf<Provider extends AnyProvider> = ReturnType<Provider['config']>;

/** The parts of a definition. Without one, those of the built-in provider. */
export function requiredPartsOf(provider?: AnyProvider): ProviderParts {
  const parts = provider === undefined ? BUILT_IN : partsOf(provider);
  if (parts === undefined)
    throw new TypeError('`provider` must be what defineProvider() returned. Pass that object itself.');
  return parts;
}
