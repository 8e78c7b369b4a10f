import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

/** How a process ended. */
export interface ProcessEnd {
  /** `null` if the process was killed. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * The library in JavaScript, in a temporary folder. Many processes can run it without compiling it each time, and no process
 * uses an old build.
 */
export class BuiltLibrary {
  private constructor(private readonly folder: string) {}

  static async make(): Promise<BuiltLibrary> {
    const folder = await mkdtemp(join(tmpdir(), 'built-library-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
      config: { compilerOptions: object };
    };
    const { options } = ts.convertCompilerOptionsFromJson(
      { ...config.compilerOptions, module: 'esnext', moduleResolution: 'bundler', sourceMap: false },
      root,
    );
    const files = await readdir(join(root, 'lib'), { recursive: true });
    for (const file of files.filter((name) => name.endsWith('.ts'))) {
      const source = await readFile(join(root, 'lib', file), 'utf8');
      const { outputText } = ts.transpileModule(source, { fileName: file, compilerOptions: options });
      const target = join(folder, 'lib', file.replace(/\.ts$/, '.js'));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, outputText);
    }
    return new BuiltLibrary(folder);
  }

  /** Runs the text of a module in a separate process. The text can import `./lib/….js`. A process that does not end is killed. */
  async run(text: string, env: Record<string, string> = {}): Promise<ProcessEnd> {
    try {
      const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', text], {
        cwd: this.folder,
        env: { ...process.env, ...env },
        timeout: 20_000,
        killSignal: 'SIGKILL',
      });
      return { code: 0, stdout, stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as ProcessEnd;
      return { code, stdout, stderr };
    }
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
