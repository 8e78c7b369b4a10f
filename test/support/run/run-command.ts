import { execFile } from 'node:child_process';

export interface CommandResult {
  readonly code: number;
  /** Both streams, for the message of a failed assertion. */
  readonly output: string;
  readonly stdout: string;
}

export interface CommandOptions {
  cwd: string;
  env?: Record<string, string>;
  timeoutMs?: number;
}

/** The variables of npm about the source of packages. All other variables of npm describe this repository. */
const NPM_SOURCES = /^npm_config_(registry|cache|userconfig|globalconfig|cafile|proxy|https_proxy|noproxy)$/i;
const OF_THIS_RUN = /^(npm_|vitest|node_env$|node_options$|init_cwd$|vite_|test$|dev$|prod$)/i;

/** Runs a command to its end, as in a new shell. A command that hangs is killed. */
export function runCommand(
  command: string,
  args: readonly string[],
  { cwd, env = {}, timeoutMs = 60_000 }: CommandOptions,
): Promise<CommandResult> {
  return new Promise((resolve) => {
    execFile(
      command,
      args,
      {
        cwd,
        env: { ...strangersEnvironment(), ...env },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        const end = error?.killed === true ? `\nKilled after ${timeoutMs} ms.` : '';
        const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1;
        resolve({ code, stdout, output: `${stdout}${stderr}${end}` });
      },
    );
  });
}

/** Runs a Node program in a separate process. */
export function runNode(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  return runCommand(process.execPath, args, options);
}

/** The variables of this machine, without the variables of this test run. */
export function strangersEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => NPM_SOURCES.test(name) || !OF_THIS_RUN.test(name)),
  );
}
