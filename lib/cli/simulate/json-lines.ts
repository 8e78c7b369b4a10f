import type { Output } from '../terminal.js';
import type { SimulateReporter } from './reporter.js';

/** One JSON object per line, for programs. Later versions may add members and events. */
export function jsonLines(output: Output): SimulateReporter {
  const line = (event: string, facts: object): void =>
    void output.write(`${JSON.stringify({ event, ...facts })}\n`);
  return {
    started: (facts) => line('started', facts),
    request: (request, counts) => line('request', { ...request, counts }),
    fault: (fault) => line('fault', fault),
    cleared: (counts) => line('cleared', { counts }),
    ended: (counts) => line('ended', { counts }),
  };
}
