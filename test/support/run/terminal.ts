import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { strangersEnvironment } from './run-command.js';

/** A question of a scaffold, which waits for a key. */
const PROMPT = /(?:^|\n)\s*\? (.+)/;

/** So long a prompt writes nothing. A spinner writes more often. */
const SILENCE_MS = 1_000;

/** A command on a pseudo-terminal, as a person starts it. It ends with the test. */
export class Terminal {
  /** What the terminal has shown, without colours. */
  text = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<unknown[]>;
  #changedAt = performance.now();

  constructor(command: string, cwd: string, env: Readonly<Record<string, string>> = {}) {
    // Without a size, a spinner writes thousands of lines.
    const sized = `stty cols 100 rows 40; ${command}`;
    this.#child = spawn('script', ['-qec', sized, '/dev/null'], {
      cwd,
      env: { ...strangersEnvironment(), TERM: 'xterm', ...env },
    });
    this.#child.stdout.on('data', (bytes: Buffer) => {
      this.text += stripVTControlCharacters(bytes.toString()).replaceAll('\r', '\n');
      this.#changedAt = performance.now();
    });
    this.#exit = once(this.#child, 'close');
    onTestFinished(async () => {
      this.#child.kill('SIGTERM');
      await this.#exit;
    });
  }

  press(keys: string): void {
    this.#child.stdin.write(keys);
  }

  /** Waits until the terminal shows this. */
  async shows(text: string | RegExp, timeout = 120_000): Promise<void> {
    const isShown = () => (typeof text === 'string' ? this.text.includes(text) : text.test(this.text));
    await vi.waitUntil(isShown, { timeout, interval: 50 }).catch(() => {
      throw new Error(`The terminal does not show ${text}:\n${this.text.slice(-4_000)}`);
    });
  }

  /**
   * Answers each prompt until the command has ended without an error.
   *
   * @param keysFor by default Enter.
   */
  async ends(keysFor: (question: string) => string = () => '\r'): Promise<void> {
    let answered = 0;
    const timer = setInterval(() => {
      const [, question] = PROMPT.exec(this.text.slice(answered)) ?? [];
      if (question === undefined || performance.now() - this.#changedAt < SILENCE_MS) return;
      answered = this.text.length;
      this.press(keysFor(question));
    }, 200);
    const [code] = await this.#exit;
    clearInterval(timer);
    if (code !== 0) throw new Error(`The command ended with ${String(code)}:\n${this.text.slice(-4_000)}`);
  }
}
