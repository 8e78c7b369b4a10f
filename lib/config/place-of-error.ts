import { statSync } from 'node:fs';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { safely } from '../values/safely.js';

/** One line of a stack: `at name (file:line:column)` or `at file:line:column`. */
const FRAME = /^\s*at (?:.*\()?(\S.*):(\d+):\d+\)?$/;

interface Frame {
  readonly file: string;
  readonly line: string;
}

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

function framesOf(error: unknown): Frame[] {
  return safely(() => {
    if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
    const { stack, message } = error;
    const frames = stack.includes(message) ? stack.slice(stack.indexOf(message) + message.length) : stack;
    return frames.split('\n').flatMap((text) => frameOf(text) ?? []);
  }, []);
}

function frameOf(text: string): Frame | undefined {
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
