import type { ValidationArguments } from 'class-validator';
import type { Catalogue, InterfaceEntry } from '../catalogue/catalogue.js';
import { type ConfigProblem, ProviderAuthConfigError } from '../errors/provider-auth-config.error.js';
import { revealed } from '../secrets/secret.js';
import { isObject, isPlainInAnyRealm, isRecord, memberOf } from '../values/objects.js';
import { oncePer } from '../values/once-per.js';
import { wholeNumber } from './rules/choice-rules.js';
import { nearestName, shownName } from './rules/names.js';
import { type Flaw, kindOf } from '../secrets/text-rules.js';

export interface Place {
  readonly catalogue: Catalogue;
  /** Undefined for a setting outside the interfaces. */
  readonly interface?: string;
}

/** `absent`: an interface of this kind has no such setting. */
export type Need = 'required' | 'optional' | 'absent';

/** Says what is wrong with a value, and how to fix it. A value is undefined only if the setting is required. */
type Rule = (value: unknown, at: Place) => Flaw;

export type OptionsClass<Options extends object = object> = new () => Options;

interface Traits {
  /** For some settings, the kind of the interface decides. @default 'optional' */
  readonly need?: Need | ((entry: InterfaceEntry) => Need);
  /** What to do about the setting where it is absent. */
  readonly refusal?: (at: Place) => string;
  /** A variable has the value: `PROVIDER_EASY_SANDBOX_BASE_URL`. A `secret` is not readable in the options. */
  readonly variable?: 'text' | 'secret';
  /** A variable names a file with the value: `PROVIDER_EASY_SANDBOX_CA_FILE`. */
  readonly file?: 'pem' | 'secret';
  /** The settings of the object that the setting is. */
  readonly members?: OptionsClass;
  /** Other code reads the object: a function or files may give it, or its problems come after others. */
  readonly isReadLater?: true;
}

export interface SettingTraits extends Traits {
  readonly flawOf: Rule;
}

const declared = new Map<object, Map<string, SettingTraits>>();

/**
 * Makes a property of an options class a setting. From the property follow its option, its variables and its problems. Its doc
 * comment is the comment in the editor, in `.env.example` and in `docs/configuration.md`.
 */
export function Setting(flawOf: Rule = () => undefined, traits: Traits = {}) {
  return (prototype: object, name: string): void => {
    const settings = declared.get(prototype) ?? new Map<string, SettingTraits>();
    declared.set(prototype, settings.set(name, { ...traits, flawOf }));
  };
}

/** The rules of members whose types and comments are elsewhere. */
export type Members<Options> = { readonly [Name in keyof Options]-?: Rule | SettingTraits };

/** Makes a class of such members. */
export function membersOf<Options extends object>(
  rules: Members<Options>,
  defaults: Partial<Options> = {},
): OptionsClass<Options> {
  function Given(this: object): void {
    Object.assign(this, defaults);
  }
  for (const [name, rule] of Object.entries<Rule | SettingTraits>(rules)) {
    const traits = typeof rule === 'function' ? { flawOf: rule } : rule;
    Setting(traits.flawOf, traits)(Given.prototype as object, name);
  }
  return Given as unknown as OptionsClass<Options>;
}

/** A member that is no option: the message says what to do instead. */
export function Refused(message: string) {
  return Setting(undefined, { need: 'absent', refusal: () => message });
}

export function Whole(least: number, most?: number) {
  return Setting(wholeNumber(least, most));
}

export function Milliseconds(least: number, most?: number) {
  return Setting(wholeNumber(least, most, ' of milliseconds'));
}

/** The settings of a class in the order of their declaration, then those of the class that it extends. */
export const declaredIn = oncePer((Class: OptionsClass): ReadonlyMap<string, SettingTraits> => {
  const prototypes = [Class.prototype as object, Object.getPrototypeOf(Class.prototype) as object];
  return new Map(prototypes.flatMap((prototype) => [...(declared.get(prototype) ?? [])]));
});

export function needOf({ need = 'optional' }: Traits, at: Place | undefined): Need {
  if (typeof need === 'string') return need;
  return at?.interface === undefined ? 'absent' : need(at.catalogue.entryOf(at.interface));
}

let validator: typeof import('class-validator') | undefined;

/**
 * class-validator is loaded when options are validated, because it takes longer to load than all other imports together. No file
 * of this package is loaded later: after `jest.resetModules()` it would import second copies of the other files.
 */
export async function loadValidator(): Promise<void> {
  validator = await import('class-validator');
}

/**
 * class-validator looks up names of members in plain objects, and its errors contain the values (S10). It finds no value under such a
 * name, and no member of a polluted `Object.prototype` begins like this.
 */
const PREFIX = 'option ';

const places = new WeakMap<object, Place>();

const withRules = oncePer((Class: OptionsClass) => {
  if (validator === undefined) throw new Error('class-validator has not been loaded.');
  const { ValidateBy, validateSync } = validator;
  for (const [name, setting] of declaredIn(Class)) {
    const flawIn = (given?: ValidationArguments): Flaw =>
      given && flawAt(setting, memberOf(given.object, name), places.get(given.object));
    const validate = (_value: unknown, given?: ValidationArguments): boolean => flawIn(given) === undefined;
    const defaultMessage = (given?: ValidationArguments): string =>
      flawIn(given) ?? 'changed while it was checked. Start again.';
    ValidateBy({ name: 'setting', validator: { validate, defaultMessage } })(
      Class.prototype as object,
      PREFIX + name,
    );
  }
  return validateSync;
});

function flawAt(setting: SettingTraits, value: unknown, at: Place | undefined): Flaw {
  const need = needOf(setting, at);
  const isUsed = need === 'required' || (need === 'optional' && value !== undefined);
  return isUsed ? setting.flawOf(value, at as Place) : undefined;
}

/** What is wrong, by the name of the member. */
function validated(Class: OptionsClass, options: object, at: Place): ReadonlyMap<string, Flaw> {
  places.set(options, at);
  return new Map(
    withRules(Class)(options).map(({ property, constraints }) => [
      property.slice(PREFIX.length),
      constraints?.['setting'],
    ]),
  );
}

export type Report = (path: string, message: string) => void;

export interface Reading {
  readonly path: string;
  readonly report: Report;
  /** Undefined for what belongs to no provider: a definition, and the options of a transport or a store. */
  readonly at?: Place;
  /** Members that other code reads. */
  readonly others?: readonly string[];
  /** What a member of the object is called. @default 'an option' */
  readonly kind?: string;
  /** Texts that take the place of members. */
  readonly texts?: ReadonlyMap<string, unknown>;
}

/**
 * Reads an object into its class. A member that is wrong or unknown is reported, and counts as not set. The rules are
 * class-validator's where a provider is validated. Elsewhere they run without it, because no code has loaded it then.
 */
export function read<Options extends object>(
  Class: OptionsClass<Options>,
  given: object,
  reading: Reading,
): Options {
  const { path, report, at, kind, others = [], texts } = reading;
  const settings = declaredIn(Class);
  const known = [...settings].flatMap(([name, one]) => (needOf(one, at) === 'absent' ? [] : [name]));
  const defaults = new Class();
  const options = new Class();
  // Each member becomes the object's own, so that a polluted `Object.prototype` gives no value.
  for (const name of settings.keys()) {
    const value = known.includes(name) ? (texts?.get(name) ?? textOf(memberOf(given, name))) : undefined;
    Reflect.set(options, name, value === undefined ? memberOf(defaults, name) : value);
  }
  const flaws = at && validated(Class, options, at);
  for (const [name, setting] of settings) {
    const { members, isReadLater } = setting;
    const value = memberOf(options, name);
    const flaw = flaws ? flaws.get(name) : flawAt(setting, value, at);
    if (flaw !== undefined) {
      report(pathOf(path, name), flaw);
      Reflect.set(options, name, memberOf(defaults, name));
    } else if (members && !isReadLater && isObject(value)) {
      const place = {
        ...reading,
        path: pathOf(path, name),
        others: [],
        ...(kind && { kind: `a member of ${name}` }),
      };
      Reflect.set(options, name, Object.freeze(read(members, value, place)));
    }
  }
  refuseUnknown(given, [...known, ...others], reading, (name) => settings.get(name)?.refusal?.(at as Place));
  return options;
}

/** The text of a `Secret` takes its place. */
function textOf(value: unknown): unknown {
  const text = revealed(value);
  return typeof text === 'string' ? text : value;
}

/** Reads all members of an object of names and texts: headers, or the fields of a form. */
export function readTexts(
  given: object,
  flawOf: (name: string, value: unknown) => Flaw,
  { path, report }: Reading,
): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [name, member] of Object.entries(given)) {
    const value = textOf(member);
    const flaw = flawOf(name, value);
    if (flaw !== undefined) report(pathOf(path, name), flaw);
    else texts[name] = String(value);
  }
  return Object.freeze(texts);
}

/**
 * Refuses members that are not known. An instance of a class may have other members (a logger, a ConfigService), so
 * there a member is refused only if it looks misspelt.
 */
export function refuseUnknown(
  given: object,
  known: readonly string[],
  { path, report, kind = 'an option' }: Reading,
  refusalOf?: (name: string) => string | undefined,
): void {
  const isPlain = isPlainInAnyRealm(given);
  const has = (name: string): boolean => memberOf(given, name) !== undefined;
  for (const name of Object.keys(given)) {
    if (known.includes(name) || !has(name)) continue;
    const nearest = nearestName(name, known);
    // In a class, `_token` is the field behind the getter `token`.
    if (!isPlain && (nearest === undefined || has(nearest))) continue;
    const advice = nearest === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
    report(pathOf(path, name), refusalOf?.(name) ?? `is not ${kind}. ${advice}`);
  }
}

export function pathOf(path: string, name: string): string {
  return [path, shownName(name)].filter(Boolean).join('.');
}

/** A list is no object of options. */
export function flawOfObject(value: unknown): Flaw {
  if (isRecord(value)) return undefined;
  return `must be an object, not ${Array.isArray(value) ? 'a list' : kindOf(value)}.`;
}

/** Reports any other value. */
export function isSection(value: unknown, path: string, report: Report): value is object {
  const flaw = flawOfObject(value);
  if (flaw !== undefined) report(path, flaw);
  return flaw === undefined;
}

/** Throws one error with all problems that a reading reports. */
export function orRefuse<Result>(read: (report: Report) => Result, provider?: string): Result {
  const problems: ConfigProblem[] = [];
  const result = read((path, message) => void problems.push(Object.freeze({ path, message })));
  if (problems.length > 0) throw new ProviderAuthConfigError('CONFIG_INVALID', problems, provider);
  return result;
}

/** Options that were read: a number, a text or a choice has its default. */
export type Filled<Options> = {
  readonly [Member in keyof Options]-?: Exclude<Options[Member], undefined> extends string | number | boolean
    ? Exclude<Options[Member], undefined>
    : Options[Member];
};

/** Reads the options of one function or class, such as a transport. */
export function readOptions<Options extends object>(
  Class: OptionsClass<Options>,
  given: unknown,
  path: string,
): Filled<Options> {
  return orRefuse((report) => {
    const section = isSection(given, path, report) ? given : {};
    return read(Class, section, { path, report }) as Filled<Options>;
  });
}
