/** Tells what happens, and keeps count of what did not go as told. */
export class Narrator {
  #steps = 0;
  #broken = 0;

  step(text: string): void {
    this.#steps += 1;
    console.log(`\n${this.#steps}. ${text}`);
  }

  fact(name: string, value: string | number): void {
    console.log(`   ${name.padEnd(24)} ${value}`);
  }

  claim(text: string, holds: boolean): void {
    if (!holds) this.#broken += 1;
    console.log(`   ${holds ? '✔' : '✘'} ${text}`);
  }

  /** Ends the story; gives the exit code. */
  end(): 0 | 1 {
    console.log(
      this.#broken === 0
        ? `\nAll ${this.#steps} steps did what they say.`
        : `\n${this.#broken} claims did not hold.`,
    );
    return this.#broken === 0 ? 0 : 1;
  }
}
