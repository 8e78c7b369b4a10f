import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AUTHORITY, emptyFolder, SETTINGS, SimulationHere } from '../../support/application/simulate.js';

const FILES = [SETTINGS, AUTHORITY];

/** The lower one of two neighbours. Systems take ports for connections from a range above these. */
async function twoFreePorts(): Promise<number> {
  const port = randomInt(20_000, 30_000);
  return (await isFree(port)) && (await isFree(port + 1)) ? port : twoFreePorts();
}

/** A folder with an empty folder of the command. */
function folderWithOwn(): string {
  const folder = emptyFolder();
  mkdirSync(join(folder, '.provider-simulator'));
  return folder;
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
  it.each(FILES)('B25: a foreign %s is kept, and the command exits with 2', async (name) => {
    const folder = folderWithOwn();
    writeFileSync(join(folder, name), 'SECRET=of another program\n');
    const simulation = await SimulationHere.start([], { folder });
    expect(await simulation.ended).toBe(2);
    expect(simulation.text).toContain('exists, and this command did not write it');
    expect(simulation.text).toContain('--force');
    expect(readFileSync(join(folder, name), 'utf8')).toBe('SECRET=of another program\n');
  });

  it.each(FILES)('B25: --force replaces a foreign %s', async (name) => {
    const folder = folderWithOwn();
    writeFileSync(join(folder, name), 'SECRET=of another program\n', { mode: 0o644 });
    const simulation = await SimulationHere.start(['--force'], { folder });
    expect(readFileSync(join(folder, name), 'utf8')).toMatch(/^# made by provider-auth simulate\n/);
    expect(lstatSync(join(folder, SETTINGS)).mode & 0o777).toBe(0o600);
    expect(await simulation.end()).toBe(0);
  });

  it.each(FILES)('B25: a link in place of %s is not followed, not even with --force', async (name) => {
    const folder = folderWithOwn();
    const target = join(folder, 'target');
    // The target has the mark of the command. The link is foreign all the same.
    writeFileSync(target, '# made by provider-auth simulate\nA=1\n');
    symlinkSync(target, join(folder, name));
    expect(await (await SimulationHere.start([], { folder })).ended).toBe(2);
    await SimulationHere.start(['--force'], { folder });
    expect(readFileSync(target, 'utf8')).toBe('# made by provider-auth simulate\nA=1\n');
    expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(false);
  });

  it('B25: a place that cannot be written is named, with the option to change it', async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'a-file'), '');
    const simulation = await SimulationHere.start(['--settings', join(folder, 'a-file/.env')]);
    expect(await simulation.ended).toBe(2);
    expect(simulation.text).toMatch(/a-file\/\.provider-simulator cannot be written \((ENOTDIR|EEXIST)\)/);
    expect(simulation.text).toContain('--settings');
  });

  it('B25: the two files have different names', async () => {
    const file = join(emptyFolder(), 'one');
    const simulation = await SimulationHere.start(['--settings', file, '--ca', file]);
    expect(await simulation.ended).toBe(2);
    expect(simulation.text).toContain('name the same file');
    const usual = await SimulationHere.start(['--settings', join(emptyFolder(), AUTHORITY)]);
    expect(await usual.ended).toBe(2);
    expect(usual.text).toContain('name the same file');
  });

  it('B25: keeps the key of its address, so that the page has the same address at each start', async () => {
    const folder = emptyFolder();
    const port = String(await twoFreePorts());
    const first = await SimulationHere.start(['--port', port], { folder });
    await first.end();
    const second = await SimulationHere.start(['--port', port], { folder });
    expect(second.started['control']).toBe(first.started['control']);
    const key = join(folder, '.provider-simulator/key');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '.provider-simulator/.gitignore'), 'utf8')).toBe('*\n');
    expect(second.started['control']).toContain(readFileSync(key, 'utf8').trim());
    await second.end();
    writeFileSync(key, 'no key');
    const third = await SimulationHere.start(['--port', port], { folder });
    expect(third.started['control']).toMatch(/\/[\da-f]{32}$/);
    expect(third.started['control']).not.toBe(first.started['control']);
  });

  it('B37: Git ignores everything that the command writes', async () => {
    const folder = emptyFolder();
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    await SimulationHere.start([], { folder });
    const options = { cwd: folder, encoding: 'utf8' } as const;
    expect(execFileSync('git', ['status', '--short', '--untracked-files=all'], options)).toBe('');
  });

  it('B37: --settings and --ca choose other places, and private keys stay in the ignored folder', async () => {
    const folder = emptyFolder();
    const [settings, ca] = [join(folder, 'with space/.env.local'), join(folder, 'own.pem')];
    const simulation = await SimulationHere.start(['--settings', settings, '--ca', ca], { folder });
    const variables = parseEnv(readFileSync(settings, 'utf8'));
    expect(variables['PROVIDER_EASY_SANDBOX_CA_FILE']).toBe(ca);
    const own = join(folder, 'with space/.provider-simulator');
    expect(readdirSync(own).toSorted()).toEqual(['.gitignore', 'ca-key.pem', 'ca.pem', 'key']);
    expect(readFileSync(ca, 'utf8')).toBe(readFileSync(join(own, 'ca.pem'), 'utf8'));
    expect(simulation.started).toMatchObject({ settings, ca });
  });

  it('B37: --env-file is another name of --settings', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'older');
    const simulation = await SimulationHere.start(['--env-file', file], { folder });
    expect(simulation.started['settings']).toBe(file);
    await simulation.end();
    const { started } = await SimulationHere.start([`--env-file=${file}`], { folder });
    expect(started['settings']).toBe(file);
  });

  it('B25: leaves no other file behind', async () => {
    const simulation = await SimulationHere.start();
    await simulation.end();
    expect(readdirSync(simulation.folder)).toEqual(['.provider-simulator']);
    const files = readdirSync(join(simulation.folder, '.provider-simulator'));
    expect(files.toSorted()).toEqual(['.env', '.gitignore', 'ca-key.pem', 'ca.pem', 'key']);
  });
});

describe('the certificate authority of provider-auth simulate', () => {
  it('B25: a folder with other content is refused', async () => {
    const kept = join(emptyFolder(), 'kept');
    mkdirSync(kept);
    writeFileSync(join(kept, 'ca.pem'), 'not a certificate');
    writeFileSync(join(kept, 'ca-key.pem'), 'not a key');
    const simulation = await SimulationHere.start(['--keep-ca', kept]);
    expect(await simulation.ended).toBe(2);
    expect(simulation.text).toContain('exists, and this command did not write it');
    expect(simulation.text).toContain('--keep-ca');
    expect(readFileSync(join(kept, 'ca-key.pem'), 'utf8')).toBe('not a key');
  });

  it('B25: a key of another authority is replaced, together with its certificate', async () => {
    const [one, other] = [join(emptyFolder(), 'one'), join(emptyFolder(), 'other')];
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
