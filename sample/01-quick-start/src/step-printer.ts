import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Prints the steps and their checks, and counts the failed checks. */
export class StepPrinter {
  #steps = 0;
  #failed = 0;
  readonly #colours = process.stdout.isTTY && !process.env['NO_COLOR'];

  title(text: string): void {
    console.log(`\n${this.#paint('bold', text)}`);
  }

  step(text: string): void {
    this.#steps += 1;
    console.log(`\n${this.#paint('cyan', `${this.#steps}.`)} ${this.#paint('bold', text)}`);
  }

  fact(name: string, value: string | number): void {
    console.log(`   ${this.#paint('dim', name.padEnd(22))} ${value}`);
  }

  quote(text: string): void {
    for (const line of text.split('\n')) console.log(`   ${this.#paint('dim', '│')} ${line}`);
  }

  /** Prints a statement, and whether it is true. */
  check(text: string, holds: boolean): void {
    if (!holds) this.#failed += 1;
    console.log(`   ${holds ? this.#paint('green', '✔') : this.#paint('red', '✘')} ${text}`);
  }

  /** Prints the result and returns the exit code. */
  end(): 0 | 1 {
    console.log(
      this.#failed === 0
        ? `\n${this.#paint('green', `All ${this.#steps} steps succeeded.`)}`
        : `\n${this.#paint('red', `${this.#failed} checks failed.`)}`,
    );
    return this.#failed === 0 ? 0 : 1;
  }

  #paint(style: Style, text: string): string {
    return this.#colours ? styleText(style, text) : text;
  }
}
