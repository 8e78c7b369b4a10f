import type { Catalogue } from '../catalogue/catalogue.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import { oncePer } from '../values/once-per.js';
import { placedSettings } from './process-env/variable-names.js';
import { VariableOrigin } from './process-env/variable-origin.js';
import { type OptionsClass, read, type Reading, type Report } from './setting.js';

/** All problems of the options of one provider, so that one error contains all of them. */
export class Validation {
  readonly #problems: ConfigProblem[] = [];
  readonly origin: VariableOrigin | undefined;

  constructor(
    readonly catalogue: Catalogue,
    readonly options: object,
  ) {
    this.origin = VariableOrigin.of(options);
  }

  readonly report: Report = (path, message) => {
    this.add({ ...this.placeOf(path), message });
  };

  add({ path, env, message }: { path: string; env?: string | undefined; message: string }): void {
    // One variable can be the source of several options, as the environment of each interface. Its problem is listed once.
    const isListed = this.#problems.some(
      (other) => other.message === message && (env ?? path) === (other.env ?? other.path),
    );
    if (!isListed)
      this.#problems.push(Object.freeze(env === undefined ? { path, message } : { path, env, message }));
  }

  /** Whether a problem of this option was reported. */
  isWrong(path: string): boolean {
    return this.#problems.some((problem) => problem.path === path);
  }

  /** The path of an option, and its variable if its value came from one. */
  readonly placeOf = (path: string): { readonly path: string; readonly env: string | undefined } => ({
    path,
    env: this.origin?.variableOf(path, this.options),
  });

  /** The name that helps a person to find an option: its variable, or else its path. */
  readonly nameOf = (path: string): string => this.placeOf(path).env ?? path;

  /** @param of the interface that the object is part of. */
  read<Options extends object>(
    Class: OptionsClass<Options>,
    given: object,
    path: string,
    { of, ...more }: Pick<Reading, 'others' | 'instead'> & { of?: string } = {},
  ): Options {
    const at = { catalogue: this.catalogue, ...(of !== undefined && { interface: of }) };
    return read(Class, given, { path, at, report: this.report, ...more });
  }

  /** All problems, in the order of the options. */
  get problems(): readonly ConfigProblem[] {
    const placeOf = placesOf(this.catalogue);
    return this.#problems.toSorted((one, other) => placeOf(one.path) - placeOf(other.path));
  }
}

/** The place of a path among all options. A member that is unknown comes after all others of its object. */
const placesOf = oncePer((catalogue: Catalogue) => {
  const paths = placedSettings(catalogue).map(({ path }) => path);
  return (path: string): number => {
    const index = paths.indexOf(path);
    if (index !== -1) return index;
    const holder = path.slice(0, Math.max(0, path.lastIndexOf('.')));
    const last = paths.findLastIndex((one) => holder === '' || `${one}.`.startsWith(`${holder}.`));
    return last + 1 / (path.split('.').length + 1);
  };
});
