import type { Catalogue } from '../catalogue/catalogue.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import type { SettingRows } from './table/setting.js';
import { SETTINGS } from './table/settings.js';

/** All problems of the options, so that one error contains all of them (C4). Each problem is in the list once. */
export class ProblemList {
  readonly #problems: ConfigProblem[] = [];

  /** @param catalogue undefined for a definition, whose problems keep the order in which they were found. */
  constructor(private readonly catalogue?: Catalogue) {}

  get isEmpty(): boolean {
    return this.#problems.length === 0;
  }

  add({ path, env, message }: { path: string; env?: string | undefined; message: string }): void {
    // One variable can be the source of several options, as the environment of each interface. Its problem is listed once.
    const isListed = this.#problems.some(
      (other) => other.message === message && (env ?? path) === (other.env ?? other.path),
    );
    if (!isListed)
      this.#problems.push(Object.freeze(env === undefined ? { path, message } : { path, env, message }));
  }

  /** @param provider the name of the provider whose configuration it is. */
  toError(provider = this.catalogue?.name): ProviderAuthConfigError {
    const places = this.catalogue && placesOf(this.catalogue);
    const sorted =
      places === undefined
        ? this.#problems
        : this.#problems.toSorted((one, other) => byPlace(one, other, places));
    return new ProviderAuthConfigError('CONFIG_INVALID', sorted, provider);
  }
}

/**
 * The order in which people write and read a configuration: the order of the table. The members of `token` and `http` are in the
 * order of their names, and a time limit is first in its object.
 */
function placesOf({ interfaces, environments }: Catalogue): readonly string[] {
  const ofInterfaces = [
    ...interfaces,
    ...namesOf(SETTINGS.interface),
    ...environments,
    ...namesOf(SETTINGS.environment),
    ...namesOf(SETTINGS.tls),
  ];
  const ofOptions = namesOf(SETTINGS.options).flatMap((name) =>
    name === 'interfaces' ? [name, ...ofInterfaces] : [name],
  );
  return ['(options)', ...ofOptions, 'timeoutMs'];
}

function namesOf(settings: SettingRows): string[] {
  return Object.keys(settings).filter((name) => settings[name]?.need !== 'absent');
}

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

function rank(segment: string, places: readonly string[]): number {
  const place = places.indexOf(segment);
  return place === -1 ? places.length : place;
}
