import { connect } from 'node:net';
import type { Finding, Step } from '../step.js';
import { codeOf, within } from '../within.js';

const PROXY_ADVICE =
  'Check HTTPS_PROXY; if the provider is reached without a proxy, name its host in NO_PROXY. The application reads the same variables.';

/** Opens a connection and closes it again: tells a closed port and a firewall from trouble further up. */
export const tcp: Step = {
  name: 'tcp',
  async run({ destination: { host, port, isProxy }, settings }) {
    const to = `${isProxy ? 'the proxy ' : ''}${host}:${port}`;
    const { timeoutMs } = settings.token;
    try {
      const address = await within<string>(timeoutMs, (resolve, reject) => {
        const socket = connect({ host, port });
        socket.once('error', reject).once('connect', () => {
          resolve(socket.remoteAddress ?? host);
          socket.destroy();
        });
        return () => socket.destroy();
      });
      return { status: 'ok', detail: `connected to ${to}`, facts: { address, port } };
    } catch (error) {
      const finding = failed(to, codeOf(error) ?? 'UNKNOWN', timeoutMs);
      return isProxy ? { ...finding, advice: PROXY_ADVICE } : finding;
    }
  },
};

function failed(to: string, code: string, timeoutMs: number): Finding {
  const advice: Readonly<Record<string, string>> = {
    ECONNREFUSED: `Nothing listens there: compare host and port with what the provider gave you, or ask whether the service is down.`,
    ETIMEDOUT: `A firewall may swallow the packets: allow outgoing connections to ${to}, or set HTTPS_PROXY if this network needs one.`,
    EHOSTUNREACH: 'There is no route to it from here: check the network, the VPN and the firewall.',
    ENETUNREACH: 'There is no route to it from here: check the network, the VPN and the firewall.',
  };
  return {
    status: 'failed',
    detail:
      code === 'ETIMEDOUT'
        ? `no connection to ${to} within ${timeoutMs} ms (${code})`
        : `no connection to ${to} (${code})`,
    code,
    advice: advice[code] ?? 'Check the network between this machine and the provider.',
  };
}
