import type { Catalogue } from '../catalogue/catalogue.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';

/** The members of one environment and of its `tls`, in the order in which people write them. */
export const MEMBERS_OF_ENVIRONMENT: readonly string[] = [
  'baseUrl',
  'clientId',
  'clientSecret',
  'clientKey',
  'keyId',
  'tls',
  'ca',
  'cert',
  'key',
];

/** All problems of the options, so that one error contains all of them (C4). Each problem is in the list once. */
export class ProblemList {
  readonly #problems: ConfigProblem[] = [];
  readonly #catalogue: Catalogue;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  get isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  add({ path, env, message }: { path: string; env: string | undefined; message: string }): void {
    // One variable can be the source of several options, as the environment of each interface. Its problem is listed once.
    const isListed = this.#problems.some(
      (other) => other.message === message && (env ?? path) === (other.env ?? other.path),
    );
    if (!isListed)
      this.#problems.push(Object.freeze(env === undefined ? { path, message } : { path, env, message }));
  }

  toError(): ProviderAuthConfigError {
    const places = placesOf(this.#catalogue);
    const sorted = this.#problems.toSorted((one, other) => byPlace(one, other, places));
    return new ProviderAuthConfigError('CONFIG_INVALID', sorted, this.#catalogue.name);
  }
}

/** The order in which people write and read a configuration. */
const placesOf = ({ interfaces, environments }: Catalogue): readonly string[] => [
  '(options)',
  'environment',
  'interfaces',
  ...interfaces,
  'tokenUrl',
  ...environments,
  ...MEMBERS_OF_ENVIRONMENT,
  'token',
  'http',
  'store',
  'timeoutMs',
];

/** By place, then by name. The problems of one place keep their order. */
function byPlace(one: ConfigProblem, other: ConfigProblem, places: readonly string[]): number {
  const [left, right] = [one.path.split('.'), other.path.split('.')];
  for (const [index, segment] of left.entries()) {
    const against = right[index];
    if (against === undefined) return 1;
    if (segment !== against)
      return rank(segment, places) - rank(against, places) || (segment < against ? -1 : 1);
  }
  return left.length - right.length;
}

/** Members that are not in the list come last. */
function rank(segment: string, places: readonly string[]): number {
  const place = places.indexOf(segment);
  return place === -1 ? places.length : place;
}
