import type { Catalogue } from '../catalogue/catalogue.js';
import type { ConfigProblem } from '../errors/provider-auth-config.error.js';
import { UnreadableSecretError } from '../secrets/secret-source.js';
import { originOf, valueAt } from './process-env/read-variables.js';
import { type OptionsClass, read, type Reading, type Report } from './setting.js';

export interface Surroundings {
  /** @default those of the process */
  readonly variables?: NodeJS.ProcessEnv;
  /** Members that other code has read. */
  readonly alsoKnown?: readonly string[];
  /** The providers of the application. A variable of one of them is not misspelt. */
  readonly registered?: readonly Catalogue[] | undefined;
  /** The file that the doctor read in place of `.env`. */
  readonly settingsFile?: string | undefined;
}

/** All problems of the options of one provider, so that one error contains all of them. */
export class Validation {
  readonly #problems: ConfigProblem[] = [];
  readonly origin: ReturnType<typeof originOf>;
  /** The environments of each interface in the options, correct or wrong. */
  readonly configured: ReadonlyMap<string, readonly string[]>;

  constructor(
    readonly catalogue: Catalogue,
    readonly options: object,
    readonly surroundings: Surroundings = {},
  ) {
    this.origin = originOf(options);
    const isSet = (path: string): boolean => valueAt(options, `interfaces.${path}`) !== undefined;
    const { interfaces, environments } = catalogue;
    this.configured = new Map(
      interfaces.filter(isSet).map((of) => [of, environments.filter((one) => isSet(`${of}.${one}`))]),
    );
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

  /** Runs a reading of a credential. Undefined if it cannot be used: the problem is added. */
  async trying<Result>(read: () => Result | Promise<Result>): Promise<Result | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UnreadableSecretError)) throw error;
      for (const problem of error.problems) this.add(problem);
      return undefined;
    }
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
    { of, ...more }: Pick<Reading, 'others' | 'texts'> & { of?: string } = {},
  ): Options {
    const at = { catalogue: this.catalogue, ...(of !== undefined && { interface: of }) };
    return read(Class, given, { path, at, report: this.report, ...more });
  }

  /** All problems in the order in which they were found: an object's own, then those of each object in it. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }
}
