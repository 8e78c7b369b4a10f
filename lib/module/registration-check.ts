import { Module, type Type, type ValueProvider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { BUILT_IN_NAME, capitals, type Catalogue } from '../catalogue/catalogue.js';
import { variablesOf } from '../config/process-env/variable-names.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { SafeLogger } from '../logging/safe-logger.js';
import { oncePerModules, replacementIn } from './replacement.js';

/** A module in Nest's container. */
type OneOf<Container> = Container extends Map<string, infer One> ? One : never;

/** One import of a module in an application. */
interface Registration {
  readonly catalogue: Catalogue;
  readonly moduleName: string;
  /** What a test can replace. Undefined if the registration is itself a replacement. */
  readonly moduleClass?: Type | undefined;
}

const REGISTRATION = 'PROVIDER_AUTH:REGISTRATION';

/** Marks the module of a registration, so that `RegistrationCheckModule` finds it. */
export function registrationOf(
  { catalogue, moduleName }: Registration,
  moduleClass?: Type,
): ValueProvider<Registration> {
  if (moduleClass !== undefined && !replaceableClasses.includes(moduleClass))
    replaceableClasses.push(moduleClass);
  return { provide: REGISTRATION, useValue: { catalogue, moduleName, moduleClass } };
}

/**
 * The classes that an application of this process has registered. `overrideModule` of @nestjs/testing replaces such a class
 * only where the class itself is imported.
 */
const replaceableClasses: Type[] = [];

/**
 * Every registration imports this module, and Nest creates it once for an application. So it can see that there are two
 * registrations (B29). In a test that replaces them, all of them inject the same instances.
 *
 * The registrations do not import their own class: Nest does not end if a module imports the module that it replaces.
 */
@Module({
  imports: replaceableClasses,
  providers: [
    {
      provide: 'PROVIDER_AUTH:REGISTRATION_CHECK',
      useFactory: checkRegistrations,
      inject: [ModulesContainer],
    },
  ],
})
export class RegistrationCheckModule {}

/** The providers of all modules of an application, also of those that are not created yet. */
export const cataloguesIn = oncePerModules((modules): readonly Catalogue[] =>
  registrationsIn(modules).map(({ catalogue }) => catalogue),
);

function registrationsIn(modules: ModulesContainer): Registration[] {
  return [...modules.values()].flatMap((module) => registrationIn(module) ?? []);
}

function registrationIn({ providers }: OneOf<ModulesContainer>): Registration | undefined {
  return providers.get(REGISTRATION)?.instance as Registration | undefined;
}

function checkRegistrations(modules: ModulesContainer): void {
  const registrations = registrationsIn(modules);
  const counts = new Map<unknown, number>();
  for (const one of registrations) counts.set(identityOf(one), (counts.get(identityOf(one)) ?? 0) + 1);
  const different = [...new Map(registrations.map((one) => [identityOf(one), one])).values()];
  refuseSameNames(different.map(({ catalogue }) => catalogue));
  refuseOtherReplacements(modules, registrations);
  for (const { catalogue, moduleName } of different) {
    const count = counts.get(identityOf({ catalogue })) ?? 0;
    if (count < 2 || replacementIn(modules, catalogue) !== undefined) continue;
    new SafeLogger().warn(
      `${moduleName} is registered ${count} times in this application. Each registration has its own ` +
        'clients and asks for its own tokens. Call forRoot or forRootAsync once, in the root module.',
    );
  }
}

/** Another module would not change the registrations: the test would run with the real options without a warning. */
function refuseOtherReplacements(modules: ModulesContainer, registrations: readonly Registration[]): void {
  const others = [...modules.values()].filter((module) => registrationIn(module) === undefined);
  const classes = new Set<unknown>(others.map(({ metatype }) => metatype));
  const problems = registrations
    .filter(
      ({ catalogue, moduleClass }) =>
        moduleClass !== undefined &&
        !classes.has(moduleClass) &&
        replacementIn(modules, catalogue) === undefined,
    )
    .map(({ moduleName }): ConfigProblem => ({
      path: `overrideModule(${moduleName})`,
      message:
        'was given a module that cannot replace it. Use ProviderAuthTestingModule.forRoot(), or .withOptions(options) for the real module.',
    }));
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems);
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
