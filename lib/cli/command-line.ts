import { parseArgs } from 'node:util';
import { nearestName, shownName } from '../config/rules/names.js';
import { PACKAGE } from '../module/package.js';
import { CannotRun } from './environment.js';

/** An option of a command. An option without `value` is a flag. */
export interface CommandOption<Value> {
  readonly help: string;
  /** As the help prints it: `<number>`. */
  readonly value?: string;
  readonly takes?: string;
  /** Reads the value. Undefined if it is wrong. */
  readonly read?: (text: string) => Value | undefined;
  readonly isList?: boolean;
  /** What to do instead of repeating the option. */
  readonly once?: string;
}

export const flag = (help: string): CommandOption<boolean> => ({ help });

export const text = (value: string, help: string, once = 'Give it once.'): CommandOption<string> => ({
  value,
  help,
  once,
});

export const list = (value: string, help: string): CommandOption<readonly string[]> => ({
  value,
  help: `${help}; can be repeated`,
  isList: true,
});

/** The options by their names in code: `keepCa` is `--keep-ca`. */
export type CommandOptions = Readonly<Record<string, CommandOption<unknown>>>;

export interface Command<Options extends CommandOptions = CommandOptions> {
  readonly name: string;
  readonly description: string;
  readonly options: Options;
}

export type ValuesOf<Of> =
  Of extends Command<infer Options>
    ? { readonly [Name in keyof Options]?: Options[Name] extends CommandOption<infer Value> ? Value : never }
    : never;

/** The older name of `--settings`. Behind `npx`, the Node that runs npx takes `--env-file` for itself. */
const ENV_FILE = /^--env-file(?==|$)/;

/** The values of the options. No message repeats a value, because it may be a credential (S10). */
export function readOptions<Of extends Command>(command: Of, args: readonly string[]): ValuesOf<Of> {
  const { name: of } = command;
  const known = new Map(
    Object.entries(command.options).map(([member, option]) => [flagOf(member), { member, ...option }]),
  );
  const types = [...known].map(
    ([name, { value }]) => [name, { type: value ? 'string' : 'boolean' }] as const,
  );
  const { tokens } = parseArgs({
    args: args.map((arg) => arg.replace(ENV_FILE, '--settings')),
    strict: false,
    tokens: true,
    options: Object.fromEntries(types),
  });
  const values: Record<string, unknown> = {};
  for (const token of tokens) {
    if (token.kind !== 'option')
      throw new CannotRun(`${of} takes options only. See ${PACKAGE.name} ${of} --help.`);
    const { name, value: given } = token;
    const option = known.get(name);
    if (option === undefined) throw new CannotRun(unknownOption(of, name, [...known.keys()]));
    const { member, value, takes, read, isList, once = 'Give it once.' } = option;
    if ((value === undefined) !== (given === undefined))
      throw new CannotRun(`--${name} takes ${value ? `a value: --${name} ${value}` : 'no value'}.`);
    const result = given !== undefined && read ? read(given) : (given ?? true);
    if (result === undefined) throw new CannotRun(`--${name} takes ${takes}.`);
    if (isList) values[member] = [...((values[member] as unknown[]) ?? []), result];
    else if (member in values) throw new CannotRun(`--${name} is given twice. ${once}`);
    else values[member] = result;
  }
  return values as ValuesOf<Of>;
}

export function helpOf({ name, description, options }: Command): string {
  const all = Object.entries({ ...options, help: flag('print this text') });
  const shown = all.map(
    ([member, { value, help }]) => [`--${flagOf(member)}${value ? ` ${value}` : ''}`, help] as const,
  );
  return [`Usage: ${PACKAGE.name} ${name} [options]`, description, listOf(shown)].join('\n\n');
}

export function helpOnAll(commands: readonly Command[]): string {
  return [
    `Usage: ${PACKAGE.name} <command> [options]`,
    listOf(commands.map(({ name, description }) => [name, description])),
    `${PACKAGE.name} <command> --help prints the options of a command, and --version the version.\n`,
  ].join('\n\n');
}

const flagOf = (member: string): string => member.replaceAll(/[A-Z]/g, '-$&').toLowerCase();

function listOf(items: readonly (readonly [name: string, help: string])[]): string {
  return items.map(([name, help]) => `  ${name}\n      ${help}\n`).join('');
}

function unknownOption(command: string, name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  const hint =
    nearest === undefined ? `See ${PACKAGE.name} ${command} --help.` : `Did you mean --${nearest}?`;
  return `${command} has no option --${shownName(name)}. ${hint}`;
}
