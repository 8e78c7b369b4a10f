import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { emptyFolder, SimulationHere, SOON } from '../../support/application/simulate.js';

/** A folder with the programs that open an address: they write it down. */
function openers(end = 'exit 0'): { folder: string; opened: () => string } {
  const folder = emptyFolder();
  const file = join(folder, 'opened');
  for (const name of ['xdg-open', 'open'])
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$1" >> ${file}\n${end}\n`, { mode: 0o755 });
  return { folder, opened: () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : '') };
}

it('B25: the key o opens the page in the browser', async () => {
  const { folder, opened } = openers();
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
  const simulation = await SimulationHere.start();
  simulation.press('o');
  await expect.poll(opened, SOON).toBe(simulation.started['page']);
});

it('B25: says where the page is if the program fails, as xdg-open without a browser does', async () => {
  vi.stubEnv('PATH', openers('exit 3').folder);
  const simulation = await SimulationHere.start([], { terminal: true });
  await simulation.shows('open the page');
  simulation.press('o');
  const note = /No program of this system opened the page\. Open http:\/\/127\.0\.0\.1:\d+\/\w+\//;
  await expect.poll(() => simulation.text, SOON).toMatch(note);
});
