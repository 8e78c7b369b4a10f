import { Module, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import { variablesOf } from '../config/process-env/variable-names.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { replacementIn } from './replacement.js';

/** One import of a module in an application. */
interface Registration {
  readonly catalogue: Catalogue;
  readonly moduleName: string;
}

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration, so that `RegistrationCheckModule` finds it. */
export function registrationOf({ catalogue, moduleName }: Registration): ValueProvider<Registration> {
  return { provide: REGISTRATION, useValue: { catalogue, moduleName } };
}

/**
 * Every registration imports this module, and Nest creates it once for an application. So it can see that there are two
 * registrations (B29). In a test that replaces them, all of them inject the same instances.
 */
@Module({
  providers: [
    {
      provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
      useFactory: checkRegistrations,
      inject: [ModulesContainer],
    },
  ],
})
export class RegistrationCheckModule {}

/** The answer for a container with so many modules. Each registration asks. */
const known = new WeakMap<
  ModulesContainer,
  { readonly size: number; readonly found: readonly Catalogue[] }
>();

/** The providers of all modules of an application, also of those that are not created yet. */
export function cataloguesIn(modules: ModulesContainer): readonly Catalogue[] {
  const { size } = modules;
  const before = known.get(modules);
  if (before?.size === size) return before.found;
  const found = registrationsIn(modules).map(({ catalogue }) => catalogue);
  known.set(modules, { size, found });
  return found;
}

function registrationsIn(modules: ModulesContainer): Registration[] {
  return [...modules.values()].flatMap(
    (module) => (module.providers.get(REGISTRATION)?.instance as Registration | undefined) ?? [],
  );
}

function checkRegistrations(modules: ModulesContainer): void {
  const registrations = registrationsIn(modules);
  const different = [...new Map(registrations.map((one) => [identityOf(one), one])).values()];
  refuseSameNames(different.map(({ catalogue }) => catalogue));
  for (const { catalogue, moduleName } of different) {
    const count = registrations.filter((one) => identityOf(one) === identityOf({ catalogue })).length;
    if (count < 2 || replacementIn(modules, catalogue) !== undefined) continue;
    new SafeLogger().warn(
      `${moduleName} is registered ${count} times in this application. Each registration has its own ` +
        'clients and asks for its own tokens. Call forRoot or forRootAsync once, in the root module.',
    );
  }
}

/** The built-in provider is one provider, also if two copies of this package are in the application. */
function identityOf({ catalogue }: Pick<Registration, 'catalogue'>): unknown {
  return catalogue.name === BUILT_IN_NAME ? BUILT_IN_NAME : catalogue;
}

/**
 * Two definitions with one name would have the same variables, injection tokens and metrics. Two names can also give one
 * variable: `bank` with an interface `ordersStock`, and `bankOrders` with an interface `stock`.
 */
function refuseSameNames(catalogues: readonly Catalogue[]): void {
  const problems: ConfigProblem[] = [];
  /** Which of the catalogues before have a variable. An index, because an application may have hundreds of providers. */
  const owners = new Map<string, Catalogue[]>();
  for (const one of catalogues) {
    /** The first variable that each of them shares with this one. */
    const shared = new Map<Catalogue, string>();
    for (const variable of variablesOf(one)) {
      const others = owners.get(variable) ?? [];
      for (const other of others) if (!shared.has(other)) shared.set(other, variable);
      owners.set(variable, [...others, one]);
    }
    if (shared.size > 0)
      problems.push(...catalogues.flatMap((other) => collisionOf(one, other, shared.get(other)) ?? []));
  }
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
}

function collisionOf(
  one: Catalogue,
  other: Catalogue,
  shared: string | undefined,
): ConfigProblem | undefined {
  if (shared === undefined || one === other) return undefined;
  const path = `defineProvider(${one.name})`;
  const message =
    capitals(one.name) === capitals(other.name)
      ? `has the same name as another definition in this application (${other.name}). Give each its own name.`
      : `uses the variable ${shared}, which ${other.name} uses too. Rename one of the two definitions.`;
  return { path, message };
}
