import { isIP } from 'node:net';
import { lookUp } from '../look-up.js';
import type { Finding, Step } from '../step.js';
import { codeOf, TOO_SLOW } from '../within.js';

/** Whether the host of the token URL, or the proxy's, has an address. */
export const dns: Step = {
  name: 'dns',
  async run({ destination: { host, isProxy }, settings }) {
    const what = isProxy ? 'the proxy' : 'the host of the token URL';
    if (isIP(host) !== 0) return { status: 'ok', detail: `${host} is an address, nothing to look up` };
    try {
      const { code, addresses, durationMs } = await lookUp(host, settings.token.timeoutMs);
      if (code !== undefined) return { ...failed(host, what, code), durationMs };
      return {
        status: 'ok',
        detail: `${host} is ${addresses.join(', ')}`,
        facts: { host, addresses },
        durationMs,
      };
    } catch (error) {
      return failed(host, what, codeOf(error) ?? 'UNKNOWN');
    }
  },
};

function failed(host: string, what: string, code: string): Finding {
  const detail = code === TOO_SLOW ? `no answer about ${host} (${code})` : `${host} is not found (${code})`;
  const advice =
    code === 'ENOTFOUND'
      ? `Check the spelling of ${what}; if it is right, it is known to other name servers only: a VPN or a private network may be missing.`
      : 'The name server of this machine does not answer. Check its network and its DNS settings.';
  return { status: 'failed', detail, code, advice, facts: { host } };
}
