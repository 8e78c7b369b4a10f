import { parseArgs } from 'node:util';
import { nearestName, shownName } from '../config/rules/names.js';
import { PACKAGE } from '../module/package.js';
import { CannotRun } from './environment.js';

export interface CommandOption {
  /** `--port <number>` has a value, and `--json` has none. */
  readonly flags: string;
  readonly help: string;
  readonly takes?: string;
  /** Reads the value. Undefined if it is wrong. */
  readonly read?: (text: string) => unknown;
  readonly isList?: true;
  /** What to do instead of repeating the option. */
  readonly once?: string;
}

export const option = (
  flags: string,
  help: string,
  more: Omit<CommandOption, 'flags' | 'help'> = {},
): CommandOption => ({ flags, help, ...more });

export interface Command {
  readonly name: string;
  readonly description: string;
  readonly options: readonly CommandOption[];
}

/** The older name of `--settings`. Behind `npx`, the Node that runs npx takes `--env-file` for itself. */
const ENV_FILE = /^--env-file(?==|$)/;

/**
 * The values of the options by their names: that of `--keep-ca` is `keepCa`. No message repeats a value, because it may be
 * a credential (S10).
 */
export function readOptions({ name, options }: Command, args: readonly string[]): Record<string, unknown> {
  const known = new Map(options.map((option) => [nameOf(option), option]));
  const types = options.map((one) => [nameOf(one), { type: hasValue(one) ? 'string' : 'boolean' }] as const);
  const { tokens } = parseArgs({
    args: args.map((arg) => arg.replace(ENV_FILE, '--settings')),
    strict: false,
    tokens: true,
    options: Object.fromEntries(types),
  });
  const values: Record<string, unknown> = {};
  for (const token of tokens) {
    if (token.kind !== 'option')
      throw new CannotRun(`${name} takes options only. See ${PACKAGE.name} ${name} --help.`);
    const option = known.get(token.name);
    if (option === undefined) throw new CannotRun(unknownOption(name, token.name, [...known.keys()]));
    const { flags, takes, read, isList, once = 'Give it once.' } = option;
    if (hasValue(option) === (token.value === undefined))
      throw new CannotRun(`--${token.name} takes ${hasValue(option) ? `a value: ${flags}` : 'no value'}.`);
    const value = token.value === undefined || read === undefined ? (token.value ?? true) : read(token.value);
    if (value === undefined) throw new CannotRun(`--${token.name} takes ${takes}.`);
    const member = memberOf(token.name);
    if (isList) values[member] = [...((values[member] as unknown[]) ?? []), value];
    else if (member in values) throw new CannotRun(`--${token.name} is given twice. ${once}`);
    else values[member] = value;
  }
  return values;
}

export function helpOf({ name, description, options }: Command): string {
  const all = [...options, { flags: '--help', help: 'print this text' }];
  return [`Usage: ${PACKAGE.name} ${name} [options]`, description, listOf(all)].join('\n\n');
}

export function helpOnAll(commands: readonly Command[]): string {
  const about = commands.map(({ name, description }) => ({ flags: name, help: description }));
  return [
    `Usage: ${PACKAGE.name} <command> [options]`,
    listOf(about),
    `${PACKAGE.name} <command> --help prints the options of a command, and --version the version.`,
    '',
  ].join('\n\n');
}

function listOf(items: readonly { readonly flags: string; readonly help: string }[]): string {
  return items.map(({ flags, help }) => `  ${flags}\n      ${help}\n`).join('');
}

const hasValue = ({ flags }: CommandOption): boolean => flags.includes('<');

const nameOf = ({ flags }: CommandOption): string => flags.replace(/^--| .*/g, '');

const memberOf = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function unknownOption(command: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint =
    nearest === undefined ? `See ${PACKAGE.name} ${command} --help.` : `Did you mean --${nearest}?`;
  return `${command} has no option --${shownName(name)}. ${hint}`;
}
