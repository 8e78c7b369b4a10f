import type { Catalogue } from '../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { safely } from '../values/safely.js';

/**
 * Runs code of the application that gives the options: a factory, a getter, a trap of a proxy. Its error may contain the options with
 * their secrets, and Nest prints it. So a new error has only the class of that error (S10).
 */
export async function withoutForeignErrors<Result>(
  { name }: Catalogue,
  run: () => Result | Promise<Result>,
  [subject, remedy]: readonly [subject: string, remedy: string],
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) throw error;
    const message = `${subject} threw ${kindOfError(error)}; its text is not repeated, because it may hold a secret. ${remedy}`;
    throw new ProviderAuthConfigError('CONFIG_INVALID', [{ path: '(options)', message }], name);
  }
}

/** The class of an error. A name that is no identifier is not shown, because it may contain a secret. */
function kindOfError(error: unknown): string {
  return safely(() => {
    if (!(error instanceof Error)) return 'something';
    const kind = error.name === 'Error' ? error.constructor.name : error.name;
    return /^\w{1,64}$/.test(kind) ? kind : 'something';
  }, 'something');
}
