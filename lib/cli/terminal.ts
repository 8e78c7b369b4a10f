const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export type Style = keyof typeof CODES;

/** Where text goes: a terminal, a pipe or a file. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** What an output supports. */
export interface Abilities {
  /** Whether a line can be erased and written again. */
  readonly moves: boolean;
  /** Shows a text in this style, if the output has colours. */
  readonly paint: (style: Style, text: string) => string;
}

/** @see https://no-color.org for NO_COLOR */
export function abilitiesOf(output: Output, variables: NodeJS.ProcessEnv): Abilities {
  const moves = output.isTTY === true && variables['TERM'] !== 'dumb';
  const isPlain = !moves || Boolean(variables['NO_COLOR']);
  return {
    moves,
    paint: (style, text) => (isPlain || text === '' ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`),
  };
}

/** Moves to the beginning of the line and erases it. */
export const ERASE_LINE = '\r\u001b[2K';
