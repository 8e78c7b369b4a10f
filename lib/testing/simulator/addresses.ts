import type { AnyPair, Catalogue, InterfaceEntry } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';

type PartOfPair = Partial<Readonly<Record<'interface' | 'environment', string | undefined>>>;

/** The token endpoint of one environment, or of all environments if the interface has one token URL (S4). */
export interface TokenDestination extends PartOfPair {
  readonly kind: 'token';
  readonly entry: InterfaceEntry;
  readonly path: string;
}

/** An address under a base URL, or one that is not documented, which has no entry. */
export interface ApiDestination extends PartOfPair {
  readonly kind: 'api';
  readonly entry?: InterfaceEntry;
  /** The path under the base URL. The whole path for an undocumented address. */
  readonly path: string;
}

export type Destination = TokenDestination | ApiDestination;

/** Whether a pair is one of those that the scope names. */
export function covers(scope: PartOfPair, pair: PartOfPair): boolean {
  const { interface: name = pair.interface, environment = pair.environment } = scope;
  return name === pair.interface && environment === pair.environment;
}

/** A dot segment in any spelling, or the absolute form. A server resolves both before it reads the path. */
const UNRESOLVED = /^[^/]|[/\\](\.|%2e)/i;

/** All addresses of the simulator. They follow from the catalogue, so a new interface has addresses without a change here. */
export class Addresses {
  constructor(
    readonly origin: string,
    private readonly catalogue: Catalogue,
  ) {}

  tokenUrl(pair: AnyPair): string {
    return this.origin + this.#tokenPath(pair);
  }

  /** The issuer of an environment, as assertions name it. */
  issuer({ interface: name, environment }: AnyPair): string {
    return `${this.origin}/${name}/${environment}/issuer`;
  }

  baseUrl(pair: AnyPair): string {
    return this.origin + basePath(pair);
  }

  find(target: string): Destination {
    const url = UNRESOLVED.test(target) ? resolved(target, this.origin) : target;
    const [path = ''] = url.split('?', 1);
    const { pairs, entryOf } = this.catalogue;
    const asked = pairs.find((pair) => path === this.#tokenPath(pair));
    if (asked !== undefined) {
      const environment = this.#isShared(asked) ? undefined : asked.environment;
      return { kind: 'token', ...asked, environment, entry: entryOf(asked.interface), path: target };
    }
    const pair = pairs.find((one) => `${path}/`.startsWith(`${basePath(one)}/`));
    if (pair === undefined) return { kind: 'api', path: target };
    const under = pathOf(url.slice(basePath(pair).length));
    return { kind: 'api', ...pair, entry: entryOf(pair.interface), path: under };
  }

  #isShared(pair: AnyPair): boolean {
    return this.catalogue.entryOf(pair.interface).tokenUrlPer === 'interface';
  }

  #tokenPath(pair: AnyPair): string {
    const { interface: name, environment } = pair;
    const { tokenPathExample } = this.catalogue.entryOf(name);
    return `/${name}${this.#isShared(pair) ? '' : `/${environment}`}${tokenPathExample}`;
  }
}

function basePath(pair: AnyPair): string {
  return `/${pair.interface}/${pair.environment}/v1`;
}

function resolved(target: string, origin: string): string {
  const address = parsedUrl(target.startsWith('/') ? origin + target : target);
  return address === undefined ? target : address.pathname + address.search;
}

/** A path under the base URL. Clients join `payments` and `/payments` with the base URL in the same way. */
export function pathOf(text: string): string {
  return text.replace(/^\/?/, '/');
}
