import type { Abilities, Output } from './terminal.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
const ERASE_LINE = '\r\u001b[2K';

/** Shows on a terminal that something is under way; in a pipe it shows nothing. */
export class Spinner {
  readonly #output: Output;
  readonly #abilities: Abilities;
  #timer: NodeJS.Timeout | undefined;

  constructor(output: Output, abilities: Abilities) {
    this.#output = output;
    this.#abilities = abilities;
  }

  start(text: string): void {
    if (!this.#abilities.moves) return;
    let count = 0;
    const draw = (): void => {
      this.#output.write(`${ERASE_LINE}  ${FRAMES[count % FRAMES.length]} ${text}`);
      count += 1;
    };
    draw();
    this.#timer = setInterval(draw, FRAME_MS);
  }

  stop(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#output.write(ERASE_LINE);
  }
}
