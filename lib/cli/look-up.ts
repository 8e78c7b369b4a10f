import { execFile } from 'node:child_process';
import { within } from '../time/within.js';

/** Prints the addresses, or Node's code of why there are none, and how long it took. */
const PROGRAM = `
const started = performance.now();
require('node:dns').lookup(process.argv[1], { all: true }, (error, found = []) => {
  const addresses = found.map(({ address }) => address);
  console.log(JSON.stringify({ code: error?.code, addresses, durationMs: performance.now() - started }));
});`;

export interface LookUp {
  /** Node's code of why there is no address. */
  readonly code?: string;
  readonly addresses: readonly string[];
  readonly durationMs: number;
}

/**
 * Resolves a host as Node does for a request, by the system, its hosts file included: in a process of its own, because
 * nothing ends a look-up of the system. A name server that swallows packets would hold this process for as long as all
 * search domains take, `process.exit` included, long after the verdict.
 */
export function lookUp(host: string, timeoutMs: number): Promise<LookUp> {
  return within<LookUp>(timeoutMs, (resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--eval', PROGRAM, '--', host],
      // What the options of this process load may print, or wait for a debugger.
      { env: { ...process.env, NODE_OPTIONS: '' } },
      (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout) as LookUp)),
    );
    return () => child.kill('SIGKILL');
  });
}
