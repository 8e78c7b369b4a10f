import { join } from 'node:path';
import ts from 'typescript';

/**
 * `tsc -p` in this process, for an application that is compiled more than once. It reads and parses the declarations of the
 * libraries only once.
 */
export class Compiler {
  readonly #libraries = new Map<string, ts.SourceFile | undefined>();

  constructor(private readonly directory: string) {}

  /** Compiles, writes the files, and returns the output and exit code that `tsc` would have. */
  compile(project: string): { code: number; output: string } {
    const { options, fileNames, errors } = this.#read(project);
    const program = ts.createProgram(fileNames, options, this.#host(options));
    const found = [...errors, ...ts.getPreEmitDiagnostics(program)];
    const { diagnostics } = program.emit();
    const all = ts.sortAndDeduplicateDiagnostics([...found, ...diagnostics]);
    return { code: all.length === 0 ? 0 : 1, output: ts.formatDiagnostics(all, this.#host(options)) };
  }

  #read(project: string): ts.ParsedCommandLine {
    const file = join(this.directory, project);
    const { config, error } = ts.readConfigFile(file, (path) => ts.sys.readFile(path));
    if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
    return ts.parseJsonConfigFileContent(config, ts.sys, this.directory, undefined, file);
  }

  #host(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createCompilerHost(options);
    return {
      ...host,
      getCurrentDirectory: () => this.directory,
      getSourceFile: (file, ...rest) => {
        if (!file.includes('/node_modules/')) return host.getSourceFile(file, ...rest);
        if (!this.#libraries.has(file)) this.#libraries.set(file, host.getSourceFile(file, ...rest));
        return this.#libraries.get(file);
      },
    };
  }
}
