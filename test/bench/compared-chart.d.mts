export interface Figure {
  readonly name: string;
  readonly requests: number;
}

/** The names and numbers of the chart: the first and the last column of the table. */
export function figuresOf(page: string): Figure[];

export function chartOf(figures: readonly Figure[]): string;
