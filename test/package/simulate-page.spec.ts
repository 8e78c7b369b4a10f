import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { run } from '../../lib/cli/program.js';
import { PAGE_FILES } from '../../lib/cli/simulate/control-server.js';
import { PAGE_FOLDER, SETTINGS, SimulationHere } from '../support/application/simulate.js';
import { codeBlocksOf } from '../support/package/code-blocks.js';
import { ROOT } from '../support/package/packed-package.js';

const PAGE = 'docs/simulate.md';
const page = readFileSync(join(ROOT, PAGE), 'utf8');
const blocks = await codeBlocksOf(PAGE);

function shown(name: string): string {
  const found = blocks.filter((block) => block.name === name);
  if (found.length !== 1) throw new Error(`${PAGE} has ${found.length} blocks ${name}.`);
  return found[0]?.text ?? '';
}

/** In place of the compiled module of an application. */
const DEFINITION = join(ROOT, 'test/support/application/one-definition.ts');

/** Starts the command with the options of a block, in an empty folder. */
function startAs(command: string): Promise<SimulationHere> {
  const [, args = ''] = /^npx nestjs-provider-auth simulate(.*)$/.exec(command) ?? [];
  const given = args.replace('./dist/warehouse.js', DEFINITION);
  return SimulationHere.start(given.split(' ').filter((arg) => arg !== ''));
}

const CHECKED =
  'application control control-get dockerfile doctor-of-simulator lines provider-of-own start token-status watch'.split(
    ' ',
  );

it('B25: every block is checked here', () => {
  expect(blocks.map(({ name = 'no name' }) => name).toSorted()).toEqual([...CHECKED].toSorted());
});

it.each(['start', 'token-status', 'provider-of-own'])('B25: %s starts the simulator', async (name) => {
  const simulation = await startAs(shown(name));
  expect(simulation.started['origin']).toMatch(/^https:/);
  expect(await simulation.end()).toBe(0);
});

it('B25: application, watch and doctor: begin as the line that the command prints', async () => {
  const simulation = await startAs(shown('start'));
  const { folder, started } = simulation;
  expect(started['command']).toBe(shown('application').replace(SETTINGS, join(folder, SETTINGS)));
  expect(shown('application')).toBe(`node --env-file=${SETTINGS} dist/main.js`);
  expect(shown('watch')).toBe(`npx nest start --watch --env-file ${SETTINGS}`);
  expect(shown('doctor-of-simulator')).toBe(`npx nestjs-provider-auth doctor --settings ${SETTINGS}`);
});

it('B25: lines: the command prints exactly these', async () => {
  const simulation = await SimulationHere.start([], { terminal: true });
  const token = await simulation.token();
  await simulation.callApi(token);
  await simulation.shows(/#1.*200 valid/);
  simulation.press('r');
  await simulation.callApi(token);
  await simulation.shows('token revoked');
  const renewed = await simulation.token();
  await simulation.shows(/token \S*#2/);
  await simulation.callApi(renewed);
  await simulation.shows(/#3.*200 valid/);
  expect(timeless(simulation.text)).toContain(timeless(shown('lines')));
  const [, counts = 'no counts'] = /shows the counts: `(.*?)`/.exec(page.replaceAll('\n', ' ')) ?? [];
  expect(stripVTControlCharacters(simulation.text)).toContain(`\n${counts}`);
});

it('B25: control: each chain is accepted', async () => {
  const simulation = await startAs(shown('start'));
  for (const line of shown('control').split('\n')) {
    const [, target = '', chain = ''] = /^curl "\$CONTROL\/(\w+)" --data '(.*)'$/.exec(line) ?? [];
    expect(await simulation.control(target, chain)).toMatchObject({ status: 200, body: { ok: true } });
  }
  const example = /`(\{"for".*?\})` does the same as `(.*?)`/.exec(page.replaceAll('\n', ' '));
  await simulation.control('token', example?.[1]);
  expect(simulation.lines.at(-1)?.['chain'].replaceAll('"', "'")).toBe(
    example?.[2]?.replace('provider.', ''),
  );
});

it('B25: control-get: each address answers', async () => {
  const simulation = await startAs(shown('start'));
  for (const line of shown('control-get').split('\n')) {
    const [, path = 'no path'] = /^curl "\$CONTROL(\S*)"$/.exec(line) ?? [];
    const response = await fetch(simulation.started['control'] + path);
    expect(response.status).toBe(200);
    await response.body?.cancel();
  }
});

it('B25: dockerfile: five lines, a supported Node, and options that start the simulator', async () => {
  const lines = shown('dockerfile').split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['FROM', 'WORKDIR', 'RUN', 'VOLUME', 'CMD']);
  expect(lines[0]).toMatch(/^FROM node:(20|22|24|26)-slim$/);
  const [npx, command, simulate, ...args] = JSON.parse((lines[4] ?? '').slice('CMD '.length)) as string[];
  expect([npx, command, simulate]).toEqual(['npx', 'nestjs-provider-auth', 'simulate']);
  expect(args).toEqual([]);
  const [home, volume] = [lines[1], lines[3]].map((line) => line?.split(' ')[1]);
  expect(volume).toBe(`${home}/${dirname(SETTINGS)}`);
});

it('B25: each option has a heading', async () => {
  let help = '';
  const write = (text: string) => (help += text);
  await run(['simulate', '--help'], { stdout: { write }, stderr: { write } });
  const options = [...help.matchAll(/^ {2}(--[a-z-]+(?: <\S+>)?)/gm)].map(([, option]) => option);
  const headings = [...page.matchAll(/^### `(--.*)`$/gm)].map(([, option]) => option);
  expect(headings).toEqual(options);
});

it('B25: the files of the page have together at most 900 lines, and are in the build', () => {
  const files = Object.keys(PAGE_FILES);
  const lines = files.map((file) => readFileSync(join(PAGE_FOLDER, file), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(900);
  for (const file of files)
    expect(readFileSync(join(ROOT, 'dist/esm/cli/page', file), 'utf8')).toBe(
      readFileSync(join(PAGE_FOLDER, file), 'utf8'),
    );
});

/** Without colours and without lines that were written again. */
function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/[^\n]*\r/g, '');
}

/** The same without times and durations. */
function timeless(text: string): string {
  return plain(text)
    .replaceAll(/\d\d:\d\d:\d\d/g, 'TIME')
    .replaceAll(/\d+ ms/g, 'N ms');
}
