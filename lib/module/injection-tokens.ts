import { capitals, type Catalogue } from '../catalogue/catalogue.js';
import { oneWordOf } from '../config/rules/choice-rules.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';

export type InjectedKind = 'HTTP' | 'FETCH' | 'TOKEN_PROVIDER';

/** The injection token of one thing of a provider: `PROVIDER_AUTH:HTTP:easy:sandbox`. @internal */
export function injectionToken(
  provider: string,
  kind: InjectedKind | 'SETTINGS' | 'SERVICE',
  of?: string,
  environment?: string,
): string {
  const place = [of, environment].filter((part) => part !== undefined);
  return [`${capitals(provider)}_AUTH`, kind, ...place].join(':');
}

/**
 * The same for names that an application has written. With a name that the provider does not have, Nest would only say that it
 * cannot resolve a dependency.
 *
 * @internal
 */
export function checkedToken(
  { name, interfaces, environments }: Catalogue,
  kind: InjectedKind,
  of: string,
  environment?: string,
): string {
  const flaws = {
    'the injected interface': oneWordOf(interfaces)(of),
    'the injected environment': environment === undefined ? undefined : oneWordOf(environments)(environment),
  };
  const problems = Object.entries(flaws).flatMap(([path, message]) => (message ? [{ path, message }] : []));
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems, name);
  return injectionToken(name, kind, of, environment);
}
