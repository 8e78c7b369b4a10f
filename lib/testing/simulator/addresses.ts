import type { AnyPair, Catalogue } from '../../catalogue/catalogue.js';
import { parsedUrl } from '../../net/parsed-url.js';

/** The token endpoint of one environment, or of all environments if the interface has one token URL (S4). */
export interface TokenDestination {
  readonly kind: 'token';
  readonly interface: string;
  readonly environment?: string;
}

/** An address under the base URL of one interface and environment. */
export interface ApiDestination extends AnyPair {
  readonly kind: 'api';
  readonly path: string;
}

/** A dot segment in any spelling, or the absolute form. A server resolves both before it reads the path. */
const UNRESOLVED = /^[^/]|[/\\](\.|%2e)/i;

/** All addresses of the simulator. They follow from the catalogue, so a new interface has addresses without a change here. */
export class Addresses {
  readonly #tokens = new Map<string, TokenDestination>();
  readonly #bases: readonly { readonly pair: AnyPair; readonly path: string }[];
  readonly #catalogue: Catalogue;

  constructor(
    readonly origin: string,
    catalogue: Catalogue,
  ) {
    this.#catalogue = catalogue;
    this.#bases = catalogue.pairs.map((pair) => ({ pair, path: basePath(pair) }));
    for (const pair of catalogue.pairs) {
      const shared = catalogue.entryOf(pair.interface).tokenUrlPer === 'interface';
      this.#tokens.set(tokenPath(catalogue, pair), {
        kind: 'token',
        interface: pair.interface,
        ...(!shared && { environment: pair.environment }),
      });
    }
  }

  tokenUrl(pair: AnyPair): string {
    return this.origin + tokenPath(this.#catalogue, pair);
  }

  /** The issuer of an environment, as assertions name it. */
  issuer({ interface: name, environment }: AnyPair): string {
    return `${this.origin}/${name}/${environment}/issuer`;
  }

  baseUrl(pair: AnyPair): string {
    return this.origin + basePath(pair);
  }

  find(target: string): TokenDestination | ApiDestination | undefined {
    const url = UNRESOLVED.test(target) ? resolved(target, this.origin) : target;
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const token = this.#tokens.get(path);
    if (token) return token;
    const base = this.#bases.find((one) => path === one.path || path.startsWith(`${one.path}/`));
    return base && { ...base.pair, kind: 'api', path: pathOf(url.slice(base.path.length)) };
  }
}

function tokenPath(catalogue: Catalogue, pair: AnyPair): string {
  const { tokenUrlPer, tokenPathExample } = catalogue.entryOf(pair.interface);
  return tokenUrlPer === 'interface'
    ? `/${pair.interface}${tokenPathExample}`
    : `/${pair.interface}/${pair.environment}${tokenPathExample}`;
}

function basePath(pair: AnyPair): string {
  return `/${pair.interface}/${pair.environment}/v1`;
}

function resolved(target: string, origin: string): string {
  const url = target.startsWith('/') ? origin + target : target;
  const address = parsedUrl(url);
  return address === undefined ? target : address.pathname + address.search;
}

/** A path under the base URL. Clients join `payments` and `/payments` with the base URL in the same way. */
export function pathOf(text: string): string {
  return text.replace(/^\/?/, '/');
}
