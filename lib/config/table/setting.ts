import type { Catalogue, InterfaceEntry } from '../../catalogue/catalogue.js';
import type { Flaw } from '../rules/text-rules.js';

export interface Place {
  readonly catalogue: Catalogue;
  /** Undefined for a setting outside the interfaces. */
  readonly interface?: string;
}

/** `absent`: an interface of this kind has no such setting. */
export type Need = 'required' | 'optional' | 'absent';

export interface Setting<Value = unknown, At = Place> {
  /** Whether the setting must be set. For some settings, the kind of the interface decides. @default 'optional' */
  readonly need?: Need | ((entry: InterfaceEntry) => Need);
  /**
   * What is wrong with a value, and how to fix it. Only the value of a required setting may be undefined. Without this member,
   * the setting is an object with its own settings.
   */
  readonly flawOf?: (value: unknown, at: At) => Flaw;
  readonly default?: Value;
  /** What to do about the setting where it is absent. */
  readonly refusal?: (at: Place) => string;
  /** Of a variable with the value: `PROVIDER_EASY_SANDBOX_BASE_URL`. A `secret` is not readable in the options. */
  readonly variable?: 'text' | 'secret';
  /** Of a variable with the name of a file that holds the value: `PROVIDER_EASY_SANDBOX_CA_FILE`. A `secret` is read again. */
  readonly file?: 'pem' | 'secret';
  readonly unit?: string;
  /** What the setting is, for `docs/configuration.md` and as comment in `.env.example`. */
  readonly sentence?: string | ((at: At) => string);
  /** The same for the variable of a file, if the setting has both variables. */
  readonly fileSentence?: string;
}

/** The settings of one object of the options, in the order of their problems. */
export type SettingRows<At = Place> = Readonly<Record<string, Setting<unknown, At>>>;

/** What right options contain, with every default filled in. */
export type ValuesOf<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends { readonly default: infer Value }
    ? Value
    : Rows[Name] extends Setting<infer Value, never>
      ? Value | undefined
      : never;
};

/** Writes a row. `Value` is the type of a value without a flaw. */
export function row<Value, At = Place>(
  setting: Setting<Value, At> & { readonly default: Value },
): Setting<Value, At> & { readonly default: Value };
export function row<Value, At = Place>(setting: Setting<Value, At>): Setting<Value, At>;
export function row<Value, At = Place>(setting: Setting<Value, At>): Setting<Value, At> {
  return setting;
}

export function needOf(setting: Setting, { catalogue, interface: of }: Place): Need {
  const { need = 'optional' } = setting;
  if (typeof need === 'string') return need;
  return of === undefined ? 'absent' : need(catalogue.entryOf(of));
}

/** A whole number within bounds. Every violation has the same message. */
export function wholeNumber(
  least: number,
  most: number,
  unit?: string,
): Pick<Setting<number, unknown>, 'flawOf' | 'unit'> {
  const range = most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`;
  const message = `must be a whole number${unit === 'milliseconds' ? ' of milliseconds' : ''}${range}.`;
  const isRight = (value: unknown): boolean =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return { flawOf: (value) => (isRight(value) ? undefined : message), ...(unit !== undefined && { unit }) };
}
