import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The figures and their charts. The package contains the charts, because pages show them. */
export const FIGURES_FOLDER = 'docs/figures';

/** What ran the command. Never the name of a host or a path. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
}

/** What a command measured, as `docs/figures/<name>.json` stores it. */
export interface FigureFile<Figures> {
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
  /** What a reader must know of the run, for example that it was short. */
  readonly note?: string;
  readonly figures: Figures;
}

export function absolute(path: string): string {
  return join(ROOT, path);
}

export function fileOf(name: string): string {
  return `${FIGURES_FOLDER}/${name}.json`;
}

export function readFigures<Figures>(name: string): FigureFile<Figures> {
  return JSON.parse(readFileSync(absolute(fileOf(name)), 'utf8'));
}

export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** If only a part was measured again, `run` names the run of the older part. A note says what a reader must know of the run. */
export async function storeFigures(
  name: string,
  command: string,
  figures: unknown,
  run: Partial<Pick<FigureFile<unknown>, 'date' | 'machine' | 'note'>> = {},
): Promise<void> {
  const all = cpus();
  const machine: Machine = {
    cpu: all[0]?.model.trim() ?? 'unknown',
    cores: all.length,
    node: process.version,
  };
  const file: FigureFile<unknown> = { date: today(), machine, command, ...run, figures };
  await writeFormatted(fileOf(name), JSON.stringify(file), 'json');
}

/** As `npm run check:format` expects it. */
export async function formatted(text: string, parser: 'json' | 'markdown'): Promise<string> {
  // The README and all pages of docs have the same settings.
  const settings = await resolveConfig(absolute(parser === 'markdown' ? 'README.md' : 'package.json'));
  return format(text, { parser, ...settings });
}

export async function writeFormatted(path: string, text: string, parser: 'json' | 'markdown'): Promise<void> {
  writeFileSync(absolute(path), await formatted(text, parser));
}
