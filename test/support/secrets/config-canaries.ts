import { inspect } from 'node:util';
import { validateOptions } from '../application/built-in.js';
import {
  type ConfigProblem,
  ProviderAuthConfigError,
} from '../../../lib/errors/provider-auth-config.error.js';

/** Every text in the options of these tests contains this word, and no text of the package contains it. */
export const CANARY = 'canary';

export interface Tree {
  [member: string]: unknown;
}

const credentials = (of: string): Tree => ({
  clientId: `canary-id-${of}`,
  clientSecret: `canary&secret=+%${of}`,
});

/** Correct options, new for each call. Every value contains the canary. */
export function rightOptions(): Tree {
  return {
    environment: 'sandbox',
    interfaces: {
      originations: {
        tokenUrl: 'https://auth.canary.example/oauth/token',
        sandbox: { baseUrl: 'https://sandbox.canary.example/v1', ...credentials('os') },
        production: { baseUrl: 'https://canary.example/v1', ...credentials('op') },
      },
      easy: {
        sandbox: {
          tokenUrl: 'https://sandbox.canary.example/auth/v0/connect/token',
          baseUrl: 'https://sandbox.canary.example/easy',
          ...credentials('es'),
        },
        production: {
          tokenUrl: 'https://canary.example/auth/v0/connect/token',
          baseUrl: 'https://canary.example/easy',
          ...credentials('ep'),
        },
      },
    },
  };
}

/** Correct options with changed members. A missing path is created. */
export function optionsWith(changes: Tree): Tree {
  const options = rightOptions();
  for (const [path, value] of Object.entries(changes)) {
    const end = path.lastIndexOf('.');
    const holder = optionsAt(options, path.slice(0, Math.max(0, end)));
    const last = path.slice(end + 1);
    if (value === REMOVED) delete holder[last];
    else holder[last] = value;
  }
  return options;
}

/** The object at the path. If it is missing, it is created. */
export function optionsAt(options: Tree, path: string): Tree {
  let holder = options;
  for (const member of path === '' ? [] : path.split('.')) holder = (holder[member] ??= {}) as Tree;
  return holder;
}

export const REMOVED = Symbol('removed');

/** The error of the validation. */
export async function configErrorOf(
  options: unknown,
  variables: NodeJS.ProcessEnv = {},
): Promise<ProviderAuthConfigError> {
  try {
    await validateOptions(options, { variables });
  } catch (error) {
    if (error instanceof ProviderAuthConfigError) return error;
    throw error;
  }
  throw new Error('these options were expected to be refused');
}

export async function problemsOf(
  options: unknown,
  variables?: NodeJS.ProcessEnv,
): Promise<readonly ConfigProblem[]> {
  return (await configErrorOf(options, variables)).problems;
}

/** Every output in which an error could show its content. */
export function shownBy(error: unknown): string {
  const of = error as Error;
  return [
    of.message,
    of.stack,
    String(error),
    JSON.stringify(error),
    JSON.stringify(error, Object.getOwnPropertyNames(error)),
    inspect(error, { showHidden: true, depth: Number.POSITIVE_INFINITY, getters: true }),
    inspect(of.cause, { showHidden: true, depth: Number.POSITIVE_INFINITY }),
  ].join('\n');
}
