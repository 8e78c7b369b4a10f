import type { FigureFile } from '../figure-file.js';

/** How pages show a file of figures: as generated text, and as charts. */
export interface Shown<Figures = never> {
  blocks(file: FigureFile<Figures>): Record<string, string>;
  charts?(file: FigureFile<Figures>): Record<string, string>;
}
