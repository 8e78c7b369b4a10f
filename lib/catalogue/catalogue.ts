/** How a client proves who it is to a token endpoint. */
export type ClientAuth = 'post' | 'basic' | 'private_key_jwt';

/** What is known about one interface of a provider. */
export interface InterfaceEntry {
  /** Whether all environments have the same token URL, or each environment has its own (S4). */
  readonly tokenUrlPer: 'interface' | 'environment';
  /** How the path of a token URL must end (S4). Undefined if any path is right. */
  readonly tokenPath?: RegExp | undefined;
  /** An ending that `tokenPath` accepts, for error messages and for the simulator. */
  readonly tokenPathExample: string;
  /** Whether the same client id in two environments is an error, because it would mix up their tokens (S5). */
  readonly clientIdPer?: 'environment' | undefined;
  /** @default 'post' */
  readonly clientAuth?: ClientAuth | undefined;
  /** Sent with each token request. */
  readonly scope?: string | undefined;
  readonly audience?: string | undefined;
  readonly resource?: string | undefined;
}

/** An interface and an environment of any provider. Undefined as `provider` means the built-in provider. */
export interface AnyPair {
  readonly provider?: string | undefined;
  readonly interface: string;
  readonly environment: string;
}

/**
 * A provider as data: its interfaces and its environments. Options, variables, injection tokens, status, doctor and simulator
 * follow from it. It is an argument: no code of the inner floors knows which provider it works for (B24).
 */
export interface Catalogue {
  readonly name: string;
  /** The environments of every interface. Each environment has its own credentials (S5). */
  readonly environments: readonly string[];
  readonly interfaces: readonly string[];
  /** Every pair of interface and environment. */
  readonly pairs: readonly Required<AnyPair>[];
  readonly entryOf: (name: string) => InterfaceEntry;
}

/** The name of the provider that is part of this package. */
export const BUILT_IN_NAME = 'provider';

/** All providers that this process has defined, registered or not. Only the check for misspelt variables asks for them. */
const defined: Catalogue[] = [];

export function definedCatalogues(): readonly Catalogue[] {
  return defined;
}

export function createCatalogue(
  name: string,
  environments: readonly string[],
  entries: Readonly<Record<string, InterfaceEntry>>,
): Catalogue {
  // Without a prototype: a polluted `Object.prototype` adds no scope to a token request (B36).
  const byName = new Map(
    Object.entries(entries).map(([of, entry]) => [
      of,
      Object.setPrototypeOf({ ...entry }, null) as InterfaceEntry,
    ]),
  );
  const interfaces = [...byName.keys()];
  const catalogue: Catalogue = Object.freeze({
    name,
    environments: Object.freeze([...environments]),
    interfaces: Object.freeze(interfaces),
    pairs: Object.freeze(
      interfaces.flatMap((of) =>
        environments.map((environment) => Object.freeze({ provider: name, interface: of, environment })),
      ),
    ),
    entryOf(of: string): InterfaceEntry {
      const entry = byName.get(of);
      if (entry === undefined) throw new TypeError(`The provider ${name} has no interface of this name.`);
      return entry;
    },
  });
  defined.push(catalogue);
  return catalogue;
}

/** The provider of a pair, as events, metrics and logs name it. */
export function providerOf({ provider = BUILT_IN_NAME }: Pick<AnyPair, 'provider'>): string {
  return provider;
}

/** Whether a pair is one of the provider that is part of this package. */
export function isOfBuiltIn(pair: Pick<AnyPair, 'provider'>): boolean {
  return providerOf(pair) === BUILT_IN_NAME;
}

/** A pair in a message: `easy sandbox`, and `warehouse stock test` for a provider of the application. */
export function pairName(pair: AnyPair): string {
  return `${interfaceName(pair, ' ')} ${pair.environment}`;
}

/** An interface: `easy`, and with a dot `warehouse.stock` for a provider of the application. */
export function interfaceName(pair: Omit<AnyPair, 'environment'>, separator: ' ' | '.'): string {
  return isOfBuiltIn(pair) ? pair.interface : `${providerOf(pair)}${separator}${pair.interface}`;
}

/** Who gives out credentials and grants, in a message. Only the document of the built-in provider has account representatives. */
export function issuerOf(pair: Pick<AnyPair, 'provider'>): string {
  return isOfBuiltIn(pair) ? 'your account representative' : 'the provider';
}

/** A name as in variables: `clientSecret` is `CLIENT_SECRET`. */
export function capitals(name: string): string {
  return name.replaceAll(/[A-Z]/g, '_$&').replaceAll('-', '_').toUpperCase();
}
