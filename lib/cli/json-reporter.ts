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
    this.#write(`${JSON.stringify(report, null, 2)}\n`);
  }
}
