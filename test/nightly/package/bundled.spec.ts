import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundledApp, REPORT_OF_BUNDLED_APP } from '../../support/package/bundled-app.js';
import {
  installedWith,
  manifest,
  requiredPeers,
  temporaryDirectory,
  type TemporaryDirectory,
} from '../../support/package/packed-package.js';
import { runNode } from '../../support/run/run-command.js';

let home: TemporaryDirectory;
let alone: TemporaryDirectory;

beforeAll(async () => {
  const dependencies = Object.keys(manifest.dependencies);
  home = await installedWith([...requiredPeers, ...dependencies, 'undici', 'rolldown']);
  alone = await temporaryDirectory();
});

afterAll(() => Promise.all([home.remove(), alone.remove()]));

// The application resends a request, and prints errors. `npm run test:matrix` has the same application with other bundlers.
it.each(['cjs', 'esm'] as const)(
  'B15: an application in one minified file works, and its errors have their names: %s',
  async (format) => {
    const file = await bundledApp(home.path, alone.path, 'rolldown', format);
    const { code, output } = await runNode([file], { cwd: alone.path });
    expect(output).toMatch(/^\{.*\}\n$/);
    expect(JSON.parse(output)).toEqual(REPORT_OF_BUNDLED_APP);
    expect(code).toBe(0);
  },
);
