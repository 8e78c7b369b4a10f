import { type LookupAddress, lookup } from 'node:dns';
import { isIP } from 'node:net';
import type { Finding, Step } from '../step.js';
import { codeOf, TOO_SLOW, within } from '../within.js';

/** Resolves the host as Node does for a request: by the system, its hosts file included. */
export const dns: Step = {
  name: 'dns',
  async run({ destination: { host, isProxy }, settings }) {
    const what = isProxy ? 'the proxy' : 'the host of the token URL';
    if (isIP(host) !== 0) return { status: 'ok', detail: `${host} is an address, nothing to look up` };
    try {
      const addresses = await within<LookupAddress[]>(settings.token.timeoutMs, (resolve, reject) => {
        lookup(host, { all: true }, (error, found) => (error ? reject(error) : resolve(found)));
        return () => {};
      });
      const texts = addresses.map(({ address }) => address);
      return {
        status: 'ok',
        detail: `${host} is ${texts.join(', ')}`,
        facts: { host, addresses: texts },
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
