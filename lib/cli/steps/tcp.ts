import { connect } from 'node:net';
import { errorCode } from '../../errors/error-code.js';
import type { AddressSetting } from '../../errors/setting-names.js';
import { withoutInherited } from '../../net/pollution.js';
import { connectionFailure, stepsOf } from '../destination.js';
import type { Check, Finding } from '../step.js';
import { TOO_SLOW } from '../../time/within.js';
import { within } from './within.js';

/** Open a connection and close it again. This shows a closed port or a firewall, before TLS and HTTP are checked. */
export const [tcp, apiTcp] = stepsOf('tcp', openConnection);

async function openConnection(check: Check, address: AddressSetting): Promise<Finding> {
  const { timeoutMs } = check.settings.token;
  const { host, port, isProxy } = check.destinations[address];
  const to = `${isProxy ? 'the proxy ' : ''}${host}:${port}`;
  try {
    const found = await within<string>(timeoutMs, (resolve, reject) => {
      const socket = connect(withoutInherited({ host, port }));
      socket.once('error', reject).once('connect', () => {
        resolve(socket.remoteAddress ?? host);
        socket.destroy();
      });
      return () => socket.destroy();
    });
    return { status: 'ok', detail: `connected to ${to}`, facts: { address: found, port } };
  } catch (error) {
    const code = errorCode(error) ?? 'UNKNOWN';
    const late = code === TOO_SLOW ? ` within ${timeoutMs} ms` : '';
    return connectionFailure(check, address, code, `no connection to ${to}${late} (${code})`);
  }
}
