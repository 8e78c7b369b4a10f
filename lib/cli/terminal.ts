const CODES = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;

export type Style = keyof typeof CODES;

/** Where text goes: a terminal, a pipe or a file. */
export interface Output {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export const ERASE_LINE = '\r\u001b[2K';

export class Terminal {
  /** Whether a line can be erased and written again. */
  readonly moves: boolean;
  readonly #isPlain: boolean;

  /** @see https://no-color.org for NO_COLOR */
  constructor(
    readonly output: Output,
    variables: NodeJS.ProcessEnv = process.env,
  ) {
    this.moves = output.isTTY === true && variables['TERM'] !== 'dumb';
    this.#isPlain = !this.moves || Boolean(variables['NO_COLOR']);
  }

  /** The text in this style, if the output has colours. */
  paint(style: Style, text: string): string {
    return this.#isPlain || text === '' ? text : `\u001b[${CODES[style]}m${text}\u001b[0m`;
  }
}
