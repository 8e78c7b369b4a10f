import { once } from 'node:events';
import { connect } from 'node:tls';
import { type CertificateKind, ProviderSimulator } from 'nestjs-provider-auth/testing';

const KINDS: readonly CertificateKind[] = ['trusted', 'expired', 'wrong-host', 'self-signed'];

/** The results of Node's TLS checks for the certificates of the simulator. */
export async function certificates(): Promise<Record<string, unknown>> {
  const verdicts: Record<string, unknown> = {};
  for (const certificate of KINDS) {
    await using provider = await ProviderSimulator.start({ certificate });
    verdicts[certificate] = await verdictOn(provider, provider.ca);
  }
  await using provider = await ProviderSimulator.start();
  await using other = await ProviderSimulator.start();
  verdicts['of another authority'] = await verdictOn(provider, other.ca);
  verdicts['of one of two authorities'] = await verdictOn(provider, other.ca + provider.ca);
  return verdicts;
}

async function verdictOn({ origin }: ProviderSimulator, ca: string): Promise<unknown> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), ca });
  try {
    await once(socket, 'secureConnect');
    return 'trusted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  } finally {
    socket.destroy();
  }
}
