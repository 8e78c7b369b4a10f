import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const root = new URL('../../../', import.meta.url);
const run = promisify(execFile);

export interface Ended {
  readonly code: number | null;
  /** The signal that ended the process. */
  readonly signal?: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the text of a module in a separate Node process, at the root of the repository. The text can import `./lib/…ts`. */
export async function runSource(text: string, env: Record<string, string> = {}): Promise<Ended> {
  const loader = new URL('test/support/run/register-source.mjs', root).href;
  try {
    const { stdout, stderr } = await run(
      process.execPath,
      ['--import', loader, '--input-type=module', '--eval', text],
      { cwd: root, env: { ...process.env, ...env }, timeout: 25_000, killSignal: 'SIGKILL' },
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, signal = null, stdout, stderr } = error as Ended;
    return { code, signal, stdout, stderr };
  }
}
