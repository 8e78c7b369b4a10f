import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Tells the journey, and keeps count of what did not go as told. */
export class Narrator {
  #steps = 0;
  #broken = 0;
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

  /** A claim of the journey, checked against what the provider saw. */
  claim(text: string, holds: boolean): void {
    if (!holds) this.#broken += 1;
    console.log(`   ${holds ? this.#paint('green', '✔') : this.#paint('red', '✘')} ${text}`);
  }

  /** Ends the journey; gives the exit code. */
  end(): 0 | 1 {
    console.log(
      this.#broken === 0
        ? `\n${this.#paint('green', `All ${this.#steps} steps did what they say.`)}`
        : `\n${this.#paint('red', `${this.#broken} claims did not hold.`)}`,
    );
    return this.#broken === 0 ? 0 : 1;
  }

  #paint(style: Style, text: string): string {
    return this.#colours ? styleText(style, text) : text;
  }
}
