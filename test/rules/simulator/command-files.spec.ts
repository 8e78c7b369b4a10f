import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AUTHORITY, SETTINGS, SimulationHere } from '../../support/application/simulate.js';
import { givenFolder } from '../../support/run/given-folder.js';

/** The lower one of two neighbours. Systems take ports for connections from a range above these. */
async function twoFreePorts(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  return (await isFree(port)) && (await isFree(port + 1)) ? port : twoFreePorts();
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  const isOpen = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  server.close();
  return isOpen;
}

describe('the files of provider-auth simulate', () => {
  it('B25: keeps the key of its address, so that the page has the same address at each start', async () => {
    const folder = givenFolder();
    const port = String(await twoFreePorts());
    const first = await SimulationHere.start(['--port', port], { folder });
    await first.end();
    const second = await SimulationHere.start(['--port', port], { folder });
    expect(second.started['control']).toBe(first.started['control']);
    expect(second.started['control']).toContain(`:${Number(port) + 1}/`);
    const key = join(folder, '.provider-simulator/key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '.provider-simulator/.gitignore'), 'utf8')).toBe('*\n');
    expect(second.started['control']).toContain(readFileSync(key, 'utf8').trim());
    await second.end();
    writeFileSync(key, '0'.repeat(33));
    const third = await SimulationHere.start(['--port', port], { folder });
    expect(third.started['control']).toMatch(/\/[\da-f]{32}$/);
    expect(third.started['control']).not.toBe(first.started['control']);
  });

  it('B37: Git ignores everything that the command writes', async () => {
    const folder = givenFolder();
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    await SimulationHere.start([], { folder });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    expect(execFileSync('git', ['status', '--short', '--untracked-files=all'], options)).toBe('');
  });

  it('B37: --settings and --ca choose other places, and private keys stay in the ignored folder', async () => {
    const folder = givenFolder();
    const [settings, ca] = [join(folder, 'with space/.env.local'), join(folder, 'own.pem')];
    const simulation = await SimulationHere.start(['--settings', settings, '--ca', ca], { folder });
    const variables = parseEnv(readFileSync(settings, 'utf8'));
    expect(variables['PROVIDER_EASY_SANDBOX_CA_FILE']).toBe(ca);
    const own = join(folder, 'with space/.provider-simulator');
    expect(readdirSync(own).toSorted()).toEqual(['.gitignore', 'ca-key.pem', 'ca.pem', 'key']);
    expect(readFileSync(ca, 'utf8')).toBe(readFileSync(join(own, 'ca.pem'), 'utf8'));
    expect(simulation.started).toMatchObject({ settings, ca });
  });
});

/** The one that `@nestjs/config` uses. */
const DOTENV = createRequire(createRequire(import.meta.url).resolve('@nestjs/config'))('dotenv') as {
  readonly parse: (text: string) => Record<string, string>;
};

/** What the command says if it cannot run with these options. */
async function whyNot(...args: string[]): Promise<string> {
  const simulation = await SimulationHere.start(args);
  expect(await simulation.ended).toBe(2);
  return simulation.text;
}

/** The files that the command writes, and the option that names another place. */
const OPTIONS = { '.env': '--settings', 'ca.pem': '--keep-ca', 'client.pem': '--settings' } as const;

describe('a file that provider-auth simulate did not write', () => {
  it.each(Object.entries(OPTIONS))('B25: stays without --force: %s', async (name, option) => {
    const folder = givenFolder();
    const file = join(folder, '.provider-simulator', name);
    mkdirSync(join(folder, '.provider-simulator'));
    writeFileSync(file, 'foreign');
    const simulation = await SimulationHere.start(['--demand-client-certificate'], { folder });
    expect(await simulation.ended).toBe(2);
    expect(simulation.text).toContain(
      `${file} exists, and this command did not write it. Name another file with ${option}, or replace the file with --force.`,
    );
    expect(readFileSync(file, 'utf8')).toBe('foreign');
    await SimulationHere.start(['--demand-client-certificate', '--force'], { folder });
    expect(readFileSync(file, 'utf8')).toMatch(/^# made by/);
  });

  it('B40: stays if it belongs to a simulator that still answers, even with --force', async () => {
    const folder = givenFolder();
    const first = await SimulationHere.start([], { folder });
    const before = readFileSync(join(folder, SETTINGS), 'utf8');
    const second = await SimulationHere.start(['--force'], { folder });
    expect(await second.ended).toBe(2);
    expect(second.text).toContain(
      `${join(folder, SETTINGS)} belongs to the simulator at ${first.started['origin']}, which still runs. ` +
        'End it, or give this one its own --settings and --port.',
    );
    expect(readFileSync(join(folder, SETTINGS), 'utf8')).toBe(before);
    await first.end();
    const third = await SimulationHere.start([], { folder });
    expect(third.started['origin']).not.toBe(first.started['origin']);
  });

  it('B25: a link is not followed, and --force replaces the link itself', async () => {
    const folder = givenFolder();
    const [link, target] = [join(folder, SETTINGS), join(folder, 'target')];
    mkdirSync(join(folder, '.provider-simulator'));
    // As if the command had written it.
    writeFileSync(target, '# made by provider-auth simulate\nOLD=1\n');
    symlinkSync(target, link);
    const refused = await SimulationHere.start([], { folder });
    expect([await refused.ended, refused.text]).toEqual([2, expect.stringContaining(`${link} exists, and`)]);
    await SimulationHere.start(['--force'], { folder });
    expect(lstatSync(link).isFile()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('OLD=1');
  });

  it('B25: a place that cannot be written, or one for two purposes, is named', async () => {
    const folder = givenFolder();
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    expect(await whyNot('--settings', join(file, '.env'))).toMatch(
      /cannot be written \(\w+\)\. Choose another place with --settings\./,
    );
    expect(await whyNot('--keep-ca', join(file, 'own'))).toMatch(
      /cannot be written \(\w+\)\. Choose another place with --keep-ca\./,
    );
    // The settings name the authority. So there are none if the authority cannot be written.
    const none = join(folder, 'none.env');
    expect(await whyNot('--settings', none, '--ca', join(file, 'ca.pem'))).toMatch(
      /cannot be written \(\w+\)\. Choose another place with --ca\./,
    );
    expect(existsSync(none)).toBe(false);
    const { port } = new URL((await SimulationHere.start()).started['origin']);
    expect(await whyNot('--port', port)).toContain(
      `port ${port} is in use. End the other program, or choose another port with --port.\n`,
    );
    const settings = join(folder, '.provider-simulator/../one');
    expect(await whyNot('--settings', settings, '--ca', join(folder, 'one'))).toContain(
      '--settings and --ca name the same file. Name two files.',
    );
  });
});

it('B25: the settings of provider-auth simulate are for their owner, and the authority is for everyone', async () => {
  const { folder } = await SimulationHere.start();
  const modes = [SETTINGS, AUTHORITY, '.provider-simulator', '.provider-simulator/ca-key.pem'].map(
    (name) => statSync(join(folder, name)).mode & 0o777,
  );
  expect(modes).toEqual([0o600, 0o644 & ~process.umask(), 0o700, 0o600]);
});

it.each(['with space/ca.pem', 'R&D #1/$(echo 1)/ca.pem'])(
  'B25: the settings of provider-auth simulate have the path %s as Node and @nestjs/config read it, and the printed line has it in quotes',
  async (name) => {
    const folder = givenFolder();
    const [settings, ca] = [join(folder, name, '.env'), join(folder, name)];
    mkdirSync(join(folder, name), { recursive: true });
    const args = ['--settings', settings, '--ca', join(ca, 'own.pem')];
    const { started } = await SimulationHere.start(args, { folder });
    const text = readFileSync(settings, 'utf8');
    for (const read of [parseEnv, DOTENV.parse])
      expect(read(text)['PROVIDER_EASY_SANDBOX_CA_FILE']).toBe(join(ca, 'own.pem'));
    const script = `for part in ${started['command'].split(' ').slice(1).join(' ')}; do echo "$part"; done`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(
      `--env-file=${settings}\ndist/main.js\n`,
    );
  },
);

it('B25: the settings of provider-auth simulate are not written with a path that has a quote', async () => {
  const simulation = await SimulationHere.start(['--ca', join(givenFolder(), "Ann's")]);
  expect(await simulation.ended).toBe(2);
  expect(simulation.text).toMatch(/_CA_FILE must have no quote\. Use another path\./);
});

describe('the certificate authority of provider-auth simulate', () => {
  it('B25: a certificate that is none is replaced, and a .gitignore stays', async () => {
    const folder = givenFolder();
    const own = (name: string) => join(folder, '.provider-simulator', name);
    const texts = () => ['ca.pem', '.gitignore'].map((name) => readFileSync(own(name), 'utf8'));
    const mark = '# made by provider-auth simulate\n';
    mkdirSync(own(''));
    for (const name of ['ca.pem', 'ca-key.pem', '.gitignore']) writeFileSync(own(name), mark);
    await (await SimulationHere.start([], { folder })).end();
    const before = texts();
    expect(before).toEqual([expect.stringContaining(`${mark}-----BEGIN CERTIFICATE-----\n`), mark]);
    await SimulationHere.start([], { folder });
    expect(texts()).toEqual(before);
  });

  it('B25: a key of another authority is replaced, together with its certificate', async () => {
    const [one, other] = [join(givenFolder(), 'one'), join(givenFolder(), 'other')];
    await (await SimulationHere.start(['--keep-ca', one])).end();
    await (await SimulationHere.start(['--keep-ca', other])).end();
    const foreign = readFileSync(join(other, 'ca-key.pem'), 'utf8');
    writeFileSync(join(one, 'ca-key.pem'), foreign);
    const simulation = await SimulationHere.start(['--keep-ca', one]);
    expect(readFileSync(join(one, 'ca-key.pem'), 'utf8')).not.toBe(foreign);
    expect(readFileSync(join(one, 'ca.pem'), 'utf8')).toBe(
      readFileSync(join(simulation.folder, AUTHORITY), 'utf8'),
    );
    expect((await simulation.askForToken()).status).toBe(200);
  });
});
