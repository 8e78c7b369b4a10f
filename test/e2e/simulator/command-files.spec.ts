import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AUTHORITY, emptyFolder, SimulationHere } from '../../support/application/simulate.js';

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
