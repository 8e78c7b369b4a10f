import type { Report, Reporter } from './report.js';

/** One JSON object at the end, and nothing else. */
export class JsonReporter implements Reporter {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  problems(): void {}
  pair(): void {}
  begins(): void {}
  ended(): void {}
  pairEnded(): void {}

  end(report: Report): void {
    const text = JSON.stringify(
      report,
      (name, value: unknown) => (name === 'isBehindProxy' ? undefined : value),
      2,
    );
    this.#write(`${text}\n`);
  }
}
