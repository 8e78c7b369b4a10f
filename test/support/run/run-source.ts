import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** The module of which the text of a process is the content. */
const ENTRY = join(root, 'entry.ts');

export interface Ended {
  readonly code: number | null;
  /** The signal that ended the process. */
  readonly signal?: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Options {
  readonly timeoutMs?: number;
  /** The names of packages that replace other packages, for example another version. */
  readonly packages?: Readonly<Record<string, string>>;
}

/**
 * Runs the text of a module in a separate Node process, at the root of the repository. The text can import `./lib/….js`. It
 * runs the sources as they are now: the process needs no build, and never uses an old one.
 */
export async function runSource(
  text: string,
  env: Record<string, string> = {},
  { timeoutMs = 50_000, packages = {} }: Options = {},
): Promise<Ended> {
  const folder = join(root, 'node_modules/.cache', `run-source-${randomUUID()}`);
  try {
    const file = await bundled(text, folder, packages);
    const { stdout, stderr } = await run(process.execPath, [file], {
      cwd: root,
      env: { ...process.env, ...env },
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, signal = null, stdout, stderr } = error as Ended;
    return { code, signal, stdout, stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs the texts of functions in one separate process. Each begins when nothing of the one before keeps the process alive: there, a
 * process with that function alone would end. Returns what each has printed. `undefined` was not reached.
 *
 * @param modules what comes before the functions: imports, and what they share.
 */
export async function runInTurn(
  modules: string,
  texts: readonly string[],
  env: Record<string, string> = {},
): Promise<(string | undefined)[]> {
  const source = `
    ${modules}
    const texts = [${texts.map((text) => `async () => { ${text} }`).join()}];
    let isOver = true;
    process.on('beforeExit', () => {
      if (!isOver) console.log('waits for what keeps no process alive');
      isOver = false;
      const next = texts.shift();
      if (next === undefined) return;
      console.log('${NEXT}');
      void next().then(() => (isOver = true));
    });
  `;
  const { code, signal, stdout, stderr } = await runSource(source, env, { timeoutMs: 100_000 });
  const [first = '', ...printed] = stdout.split(`${NEXT}\n`);
  const trouble = [first, stderr, ...(code === 0 ? [] : [`ended with ${signal ?? code}`])].join('');
  if (trouble !== '') printed.push(`${printed.pop() ?? ''}${trouble}`);
  return texts.map((_, index) => printed[index]);
}

/** The line before the output of each function. */
const NEXT = '--- next ---';

/** Puts the text and the sources that it imports into one file. Node starts it twice as fast as hundreds of files. */
async function bundled(
  text: string,
  folder: string,
  packages: Readonly<Record<string, string>>,
): Promise<string> {
  const bundle = await rolldown({
    input: ENTRY,
    cwd: root,
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    treeshake: false,
    // Other packages stay where they are, except for the helpers that the compiler itself adds.
    external: (id) => !/^[./\0]|^@oxc-project\//.test(id),
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? ENTRY : undefined),
        load: (id) => (id === ENTRY ? text : undefined),
      },
    ],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  const { output } = await bundle.write({ dir: folder, format: 'esm', keepNames: true, paths: packages });
  await bundle.close();
  return join(folder, output[0].fileName);
}
