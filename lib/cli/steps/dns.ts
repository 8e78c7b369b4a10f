import { execFile } from 'node:child_process';
import { isIP } from 'node:net';
import { errorCode } from '../../errors/error-code.js';
import { networkTrouble } from '../../errors/network-trouble.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import { connectionFailure, stepsOf } from '../destination.js';
import type { Check, Finding } from '../step.js';
import { TOO_SLOW } from '../../time/within.js';
import { within } from './within.js';

/** Prints the addresses or Node's error code, and the duration. */
const PROGRAM = `
const started = performance.now();
require('node:dns').lookup(process.argv[1], { all: true }, (error, found = []) => {
  const addresses = found.map(({ address }) => address);
  console.log(JSON.stringify({ code: error?.code, addresses, durationMs: performance.now() - started }));
});`;

interface LookUp {
  /** Node's error code, if there is no address. */
  readonly code?: string;
  readonly addresses: readonly string[];
  readonly durationMs: number;
}

/** Check that the host of a URL, or of the proxy, has an address. */
export const [dns, apiDns] = stepsOf('dns', findHost);

async function findHost(check: Check, address: AddressSetting): Promise<Finding> {
  const { host } = check.destinations[address];
  if (isIP(host) !== 0) return { status: 'ok', detail: `${host} is an IP address: nothing to look up` };
  try {
    const { code, addresses, durationMs } = await lookUp(host, check.settings.token.timeoutMs);
    if (code !== undefined) return { ...failed(check, address, code), durationMs };
    return {
      status: 'ok',
      detail: `${host} is ${addresses.join(', ')}`,
      facts: { host, addresses },
      durationMs,
    };
  } catch (error) {
    return failed(check, address, errorCode(error) ?? 'UNKNOWN');
  }
}

function failed(check: Check, address: AddressSetting, code: string): Finding {
  const { host } = check.destinations[address];
  const detail = code === TOO_SLOW ? `no DNS answer for ${host} (${code})` : `${host} is not found (${code})`;
  const trouble = networkTrouble(code) === 'unknown-host' ? 'unknown-host' : 'name-server';
  return { ...connectionFailure(check, address, code, detail, trouble), facts: { host } };
}

/**
 * Resolves a host as Node does for a request: through the system and its hosts file. A separate process does this, because
 * a look-up of the system cannot be cancelled. With a name server that drops packets, the look-up would keep this process
 * alive for minutes after the verdict, and even `process.exit` would wait.
 */
export function lookUp(host: string, timeoutMs: number): Promise<LookUp> {
  return within<LookUp>(timeoutMs, (resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--eval', PROGRAM, '--', host],
      // Modules that NODE_OPTIONS loads may print text or wait for a debugger.
      { env: { ...process.env, NODE_OPTIONS: '' } },
      (error, stdout) => (error ? reject(error) : resolve(JSON.parse(stdout) as LookUp)),
    );
    return () => child.kill('SIGKILL');
  });
}
