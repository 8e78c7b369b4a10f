import { connect } from 'node:net';
import { errorCode } from '../../errors/error-code.js';
import { networkTrouble, troubleBehindProxy } from '../../errors/network-trouble.js';
import { remedyOf } from '../../errors/remedies.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import { withoutInherited } from '../../net/pollution.js';
import { stepsOf } from '../destination.js';
import type { Check, Finding } from '../step.js';
import { TOO_SLOW, within } from '../../time/within.js';

/** Open a connection and close it again. This shows a closed port or a firewall, before TLS and HTTP are checked. */
export const [tcp, apiTcp] = stepsOf('tcp', openConnection);

async function openConnection(check: Check, address: AddressSetting): Promise<Finding> {
  const { host, port, isProxy } = check.destinations[address];
  const to = `${isProxy ? 'the proxy ' : ''}${host}:${port}`;
  try {
    const found = await within<string>(check.settings.token.timeoutMs, (resolve, reject) => {
      const socket = connect(withoutInherited({ host, port }));
      socket.once('error', reject).once('connect', () => {
        resolve(socket.remoteAddress ?? host);
        socket.destroy();
      });
      return () => socket.destroy();
    });
    return { status: 'ok', detail: `connected to ${to}`, facts: { address: found, port } };
  } catch (error) {
    return failed(check, address, to, errorCode(error) ?? 'UNKNOWN');
  }
}

function failed(
  { destinations, profile, settings }: Check,
  address: AddressSetting,
  to: string,
  code: string,
): Finding {
  const within = code === TOO_SLOW ? ` within ${settings.token.timeoutMs} ms` : '';
  const trouble = networkTrouble(code);
  return {
    status: 'failed',
    detail: `no connection to ${to}${within} (${code})`,
    code,
    advice: remedyOf(troubleBehindProxy(trouble, destinations[address].isProxy), profile, address),
  };
}
