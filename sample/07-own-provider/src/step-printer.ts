/** Prints the steps and their checks, and counts the failed checks. */
export class StepPrinter {
  #steps = 0;
  #failed = 0;

  step(text: string): void {
    this.#steps += 1;
    console.log(`\n${this.#steps}. ${text}`);
  }

  fact(name: string, value: string | number): void {
    console.log(`   ${name.padEnd(24)} ${value}`);
  }

  check(text: string, holds: boolean): void {
    if (!holds) this.#failed += 1;
    console.log(`   ${holds ? '✔' : '✘'} ${text}`);
  }

  /** Prints the result and returns the exit code. */
  end(): 0 | 1 {
    console.log(
      this.#failed === 0 ? `\nAll ${this.#steps} steps succeeded.` : `\n${this.#failed} checks failed.`,
    );
    return this.#failed === 0 ? 0 : 1;
  }
}
