import type { Catalogue } from '../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { placeOfError } from './place-of-error.js';
import type { Settings } from './options/profile.js';
import { safely } from '../values/safely.js';
import { validateOptions } from './validate-options.js';

/** The argument of `forRoot`, in which `isGlobal` is one of the options. */
export class OptionsWithIsGlobal {
  constructor(readonly options: unknown) {}
}

/**
 * Turns a factory of options into a factory of validated settings. The error of a factory may contain the options with
 * their secrets, and Nest prints it. So a new error has only the class of that error and its place (C4, S10).
 *
 * @param registered the providers of all modules of the application.
 */
export function sealOptions<Arguments extends readonly unknown[]>(
  catalogue: Catalogue,
  create: (...args: Arguments) => unknown,
  registered: readonly Catalogue[] = [],
): (...args: Arguments) => Promise<Settings> {
  return async (...args) => {
    const created = await attempt(() => create(...args), catalogue);
    return created instanceof OptionsWithIsGlobal
      ? validateOptions(catalogue, created.options, process.env, { alsoKnown: ['isGlobal'], registered })
      : validateOptions(catalogue, created, process.env, { registered });
  };
}

async function attempt(create: () => unknown, { name }: Catalogue): Promise<unknown> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) throw error;
    const place = placeOfError(error);
    const message = `the factory of the options threw ${kindOfError(error)}${place === undefined ? '' : ` at ${place}`}; its text is not repeated, because it may hold a secret. Call the factory by itself to see it.`;
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
