import { isIP } from 'node:net';
import { errorCode } from '../../errors/error-code.js';
import { networkTrouble, troubleBehindProxy } from '../../errors/network-trouble.js';
import { remedyOf } from '../../errors/remedies.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import { lookUp } from '../look-up.js';
import type { Check, Finding, Step } from '../step.js';
import { TOO_SLOW } from '../../time/within.js';
import { unlessSameAsTokenUrl } from './unless-same.js';

/** Whether the host of the token URL, or the proxy's, has an address. */
export const dns: Step = { name: 'dns', run: (check) => findHost(check, 'tokenUrl') };

/** The same for the base URL. */
export const apiDns: Step = unlessSameAsTokenUrl('api-dns', (check) => findHost(check, 'baseUrl'));

async function findHost(check: Check, address: AddressSetting): Promise<Finding> {
  const { host } = check.destinations[address];
  if (isIP(host) !== 0) return { status: 'ok', detail: `${host} is an address, nothing to look up` };
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

function failed({ destinations, profile }: Check, address: AddressSetting, code: string): Finding {
  const { host, isProxy } = destinations[address];
  const detail = code === TOO_SLOW ? `no answer about ${host} (${code})` : `${host} is not found (${code})`;
  const trouble = networkTrouble(code) === 'unknown-host' ? 'unknown-host' : 'name-server';
  return {
    status: 'failed',
    detail,
    code,
    advice: remedyOf(isProxy ? troubleBehindProxy(trouble) : trouble, profile, address),
    facts: { host },
  };
}
