/**
 * Writes the charts and the tables of the pages again, from the files in `docs/figures`. It measures nothing.
 *
 *   npm run figures
 */
import { existsSync } from 'node:fs';
import { absolute, fileOf } from './figure-file.js';
import { FIGURES, redraw } from './figures.js';

await redraw(Object.keys(FIGURES).filter((name) => existsSync(absolute(fileOf(name)))));
