import { buildWorker, WORKER_VARIABLE } from '../fleet/fleet-member.js';

/** Builds once for all specs what the processes of a fleet run. Several suites use this setup. */
export default async function buildOnce(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[WORKER_VARIABLE] !== undefined) return undefined;
  const { file, remove } = await buildWorker();
  process.env[WORKER_VARIABLE] = file;
  return async () => {
    delete process.env[WORKER_VARIABLE];
    await remove();
  };
}
