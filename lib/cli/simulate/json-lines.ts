import type { Output } from '../terminal.js';
import type { Counts, ShownRequest } from './shown.js';
import type { ChosenFault, SimulateReporter, Started } from './reporter.js';

/** One JSON object a line, for programs. Later versions may add members and events. */
export class JsonLines implements SimulateReporter {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  started(facts: Started): void {
    this.#line('started', facts);
  }

  request(request: ShownRequest, counts: Counts): void {
    this.#line('request', { ...request, counts });
  }

  fault(fault: ChosenFault): void {
    this.#line('fault', fault);
  }

  scenario(text: string): void {
    this.#line('scenario', { text });
  }

  cleared(counts: Counts): void {
    this.#line('cleared', { counts });
  }

  ended(counts: Counts): void {
    this.#line('ended', { counts });
  }

  #line(event: string, facts: object): void {
    this.#output.write(`${JSON.stringify({ event, ...facts })}\n`);
  }
}
