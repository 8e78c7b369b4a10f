import { statSync } from 'node:fs';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Catalogue } from '../catalogue/catalogue.js';
import { ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { safely } from '../values/safely.js';

/**
 * Runs code of the application that gives the options: a factory, a getter, a trap of a proxy. Its error may contain the options with
 * their secrets, and Nest prints it. So a new error has only the class of that error and its place (S10).
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
    const place = placeOfError(error);
    const message = `${subject} threw ${kindOfError(error)}${place === undefined ? '' : ` at ${place}`}; its text is not repeated, because it may hold a secret. ${remedy}`;
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

/** One line of a stack: `at name (file:line:column)` or `at file:line:column`. */
const FRAME = /^\s*at (?:.*\()?(\S.*):(\d+):\d+\)?$/;

/**
 * The first line of an error's stack that is in the code of the application, as file and line. Dependencies, Node and this
 * package do not count. Only files that exist count, so that no text of the error looks like a place (S10).
 */
export function placeOfError(error: unknown): string | undefined {
  const own = framesOf(new Error('finds the folder of this package'))[0];
  for (const { file, line } of framesOf(error)) {
    // The frames below called this package.
    if (own !== undefined && dirname(file) === dirname(own.file)) return undefined;
    if (isOfApplication(file)) return `${shortened(file)}:${line}`;
  }
  return undefined;
}

function framesOf(error: unknown) {
  return safely(() => {
    if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
    const { stack, message } = error;
    const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
    return frames.split('\n').flatMap((text) => frameOf(text) ?? []);
  }, []);
}

function frameOf(text: string) {
  const [, location, line] = FRAME.exec(text) ?? [];
  if (location === undefined || line === undefined) return undefined;
  const file = location.startsWith('file:') ? safely(() => fileURLToPath(location), undefined) : location;
  return file !== undefined && isAbsolute(file) ? { file, line } : undefined;
}

function isOfApplication(file: string): boolean {
  return safely(() => !file.split(sep).includes('node_modules') && statSync(file).isFile(), false);
}

function shortened(file: string): string {
  const fromHere = relative(process.cwd(), file);
  return fromHere.startsWith('..') ? file : fromHere;
}
