import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { placeOfError } from './place-of-error.js';
import type { Settings } from './options/profile.js';
import { safely } from '../values/safely.js';
import { validateOptions } from './validate-options.js';

/** The argument of `forRoot`, where `isGlobal` stands among the options. */
export class OptionsWithIsGlobal {
  constructor(readonly options: unknown) {}
}

/**
 * Makes of a factory of options one of validated settings. What a factory throws may quote the options, secrets
 * included, and Nest prints it: only the class of the error and its place in the application are repeated (C4, S10).
 */
export function sealOptions<Arguments extends readonly unknown[]>(
  create: (...args: Arguments) => unknown,
): (...args: Arguments) => Promise<Settings> {
  return async (...args) => {
    const created = await attempt(() => create(...args));
    return created instanceof OptionsWithIsGlobal
      ? validateOptions(created.options, process.env, ['isGlobal'])
      : validateOptions(created);
  };
}

async function attempt(create: () => unknown): Promise<unknown> {
  try {
    return await create();
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) throw error;
    const place = placeOfError(error);
    throw new ProviderAuthConfigError('CONFIG_INVALID', [
      {
        path: '(options)',
        message: `the factory of the options threw ${kindOfError(error)}${place === undefined ? '' : ` at ${place}`}; its text is not repeated, because it may hold a secret. Call the factory by itself to see it.`,
      },
    ]);
  }
}

/** The class of an error. A name that is no identifier may be part of a text. */
function kindOfError(error: unknown): string {
  return safely(() => {
    if (!(error instanceof Error)) return 'something';
    const kind = error.name === 'Error' ? error.constructor.name : error.name;
    return /^\w{1,64}$/.test(kind) ? kind : 'something';
  }, 'something');
}
