import { existsSync, writeFileSync } from 'node:fs';
import {
  absolute,
  type FigureFile,
  fileOf,
  FIGURES_FOLDER,
  readFigures,
  storeFigures,
  writeFormatted,
} from './figure-file.js';
import { aboutRun } from './markdown.js';
import { blocksIn, PAGES, pageText, withBlocks } from './pages.js';
import { type ContenderFigures, contenders } from './shown/contenders.js';
import { fleetScale } from './shown/fleet-scale.js';
import { frontNumbers } from './shown/front.js';
import { boot, getToken, importing, inProcess } from './shown/costs.js';
import { matrix } from './shown/matrix.js';
import { mutation } from './shown/mutation.js';
import { requests, type RequestFigures } from './shown/requests.js';
import { size } from './shown/size.js';
import { builds, pairs, soak } from './shown/soak.js';
import type { Shown } from './shown/shown.js';

/** How pages show each file of figures. */
export const FIGURES: Readonly<Record<string, Shown>> = {
  boot,
  builds,
  contenders,
  'fleet-scale': fleetScale,
  'get-token': getToken,
  import: importing,
  'in-process': inProcess,
  matrix,
  mutation,
  pairs,
  requests,
  size,
  soak,
};

/** The block of the README and of the front page. */
export const FRONT_NUMBERS = 'front/numbers';

/** The generated text of one figure, by the name of its block. Each figure has a block `about`. */
export function blocksOf(name: string, file: FigureFile<unknown>): Record<string, string> {
  const shown = FIGURES[name];
  if (shown === undefined) throw new Error(`No page shows ${name}.`);
  return { about: aboutRun(file), ...shown.blocks(file as FigureFile<never>) };
}

/** The charts of one figure, by the path of the file. */
export function chartsOf(name: string, file: FigureFile<unknown>): Record<string, string> {
  const charts = FIGURES[name]?.charts?.(file as FigureFile<never>) ?? {};
  return Object.fromEntries(
    Object.entries(charts).map(([chart, svg]) => [`${FIGURES_FOLDER}/${chart}.svg`, svg]),
  );
}

/** The blocks of all figures, by their names on the pages. */
export function allBlocks(): ReadonlyMap<string, string> {
  const blocks = new Map<string, string>();
  for (const name of Object.keys(FIGURES).filter((one) => existsSync(absolute(fileOf(one)))))
    for (const [block, text] of Object.entries(blocksOf(name, readFigures(name))))
      blocks.set(`${name}/${block}`, text);
  const [compared, measured] = ['contenders', 'requests'] as const;
  if ([compared, measured].every((name) => existsSync(absolute(fileOf(name)))))
    blocks.set(
      FRONT_NUMBERS,
      frontNumbers(
        readFigures<ContenderFigures>(compared).figures,
        readFigures<RequestFigures>(measured).figures,
      ),
    );
  return blocks;
}

/** Stores what a command has measured, and writes the charts and the pages that show it. */
export async function publishFigures(...stored: Parameters<typeof storeFigures>): Promise<void> {
  const [name] = stored;
  await storeFigures(...stored);
  await redraw([name]);
}

/** Writes the charts and the blocks of the pages from the stored figures. */
export async function redraw(names: readonly string[]): Promise<void> {
  for (const name of names)
    for (const [path, svg] of Object.entries(chartsOf(name, readFigures(name))))
      writeFileSync(absolute(path), svg);
  const blocks = allBlocks();
  for (const page of PAGES) {
    const text = pageText(page);
    if (blocksIn(text).length > 0) await writeFormatted(page, await withBlocks(text, blocks), 'markdown');
  }
}
