import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { warehouse } from './warehouse.js';

export const startProvider = () => ProviderSimulator.start({ provider: warehouse });

export type Simulated = Awaited<ReturnType<typeof startProvider>>;

/** Sets the variables of the application, and a file with the certificate authority of the simulator. */
export async function setVariables(simulated: Simulated): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'own-provider-'));
  const ca = join(folder, 'ca.pem');
  await writeFile(ca, simulated.ca);
  const authorities = warehouse.pairs.map(({ interface: name, environment }) => {
    const owner = name.replaceAll(/[A-Z]/g, '_$&');
    return [`WAREHOUSE_${owner}_${environment}_CA_FILE`.toUpperCase(), ca] as const;
  });
  Object.assign(process.env, simulated.env(), Object.fromEntries(authorities));
  return () => rm(folder, { recursive: true });
}
