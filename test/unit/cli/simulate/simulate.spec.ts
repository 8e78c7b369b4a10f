import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CannotRun } from '../../../../lib/cli/environment.js';
import { fixedCredentials } from '../../../../lib/cli/simulate/fixed-credentials.js';
import { Session } from '../../../../lib/cli/simulate/session.js';
import { simulate, type SimulateOptions } from '../../../../lib/cli/simulate/simulate.js';
import { ChainError } from '../../../../lib/cli/simulate/verbs.js';
import type { AuthorityKeeper } from '../../../../lib/testing/simulator/certificate-authority.js';
import { ProviderSimulator } from '../../../../lib/testing/index.js';
import { PressedKeys } from '../../../support/application/pressed-keys.js';
import { NO_COUNTS } from '../../../support/application/shown-session.js';
import { emptyFolder, PAGE_FOLDER, SOON } from '../../../support/application/simulate.js';

const MARK = '# made by provider-auth simulate\n';
const OWN = '.provider-simulator';
const COUNTS = { ...NO_COUNTS, tokenRequests: 1, apiRequests: 2 };
const CONTROL = 'http://127.0.0.1:2/key';
const EASY = { interface: 'easy', environment: 'sandbox' };

/** The doubles answer at once. A busy machine still needs time. */
const QUICKLY = { ...SOON, interval: 2 };

/** What the command gives to the simulator that it starts. */
interface Start extends Record<string, unknown> {
  readonly keyFileOf: (pair: object, key: string, kind: string) => string;
  readonly authority: AuthorityKeeper;
}

interface Given {
  /** What the start of the simulator does with its options. */
  readonly onStart?: (options: Start) => unknown;
  readonly variables?: Readonly<Record<string, string>>;
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** What the start of callers does. */
  readonly onLoad?: () => Promise<void>;
  /** What the command reads: by default a terminal. */
  readonly input?: 'terminal' | 'pipe' | 'nothing';
  readonly pageFolder?: string;
  readonly page?: string;
  readonly folder?: string;
}

/** The command with doubles of the simulator and of all that shows it. It ends with the test. */
class Command {
  readonly folder: string;
  readonly ended: Promise<unknown>;
  readonly keys: PressedKeys;
  readonly start = vi.spyOn(ProviderSimulator, 'start');
  readonly session = vi.spyOn(Session, 'start');
  /** What was done to the doubles, in order. */
  readonly done: string[] = [];
  text = '';
  readonly #before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));

  constructor(optionsIn: (folder: string) => Partial<SimulateOptions> = () => ({}), given: Given = {}) {
    const {
      onStart = () => undefined,
      variables = { A: 'one' },
      clientCertificate,
      onLoad = () => Promise.resolve(),
      input = 'terminal',
      pageFolder = '',
      page,
      folder = emptyFolder(),
    } = given;
    const { done } = this;
    this.folder = folder;
    const provider = {
      origin: 'https://localhost:1',
      ca: 'the authority\n',
      clientCertificate,
      pairs: [EASY],
      env: () => variables,
      addAccount: () => undefined,
      credentials: (_name: string, _environment: string, account: string) => ({ clientId: account }),
      close: async () => void done.push('the simulator ends'),
    };
    this.start.mockImplementation((async (options: Start) => {
      onStart(options);
      return provider;
    }) as never);
    this.session.mockImplementation((async () => ({
      control: { address: CONTROL, page },
      overview: { counts: COUNTS },
      load: {
        start: (request: object) => {
          done.push(`callers ${JSON.stringify(request)}`);
          return onLoad();
        },
      },
      run: (target: string, chain: object, by: string) =>
        void done.push(`${by}: ${target} ${JSON.stringify(chain)}`),
      close: async () => void done.push('the session ends'),
    })) as never);
    this.keys = new PressedKeys(input === 'terminal');
    this.keys.pause = () => done.push('keys end');
    const options = {
      port: 0,
      settings: join(folder, OWN, '.env'),
      page: false,
      json: true,
      ...optionsIn(folder),
    };
    const write = (text: string): void => void (this.text += text);
    this.ended = simulate(options, {
      stdout: { write },
      ...(input !== 'nothing' && { stdin: this.keys }),
      pageFolder,
    });
    onTestFinished(async () => {
      this.raise('SIGTERM');
      // A test says itself why a command failed.
      await this.ended.catch(() => undefined);
    });
  }

  /** When the command reads keys, or has ended. Fails if the command does. */
  static async started(...args: ConstructorParameters<typeof Command>): Promise<Command> {
    const command = new Command(...args);
    let isOver = false;
    const over = (): boolean => (isOver = true);
    command.ended.then(over, over);
    await vi.waitUntil(() => isOver || command.keys.listenerCount('data') > 0, QUICKLY);
    if (isOver) await command.ended;
    return command;
  }

  press(text: string): void {
    this.keys.press(text);
  }

  /** The listeners of this command only. */
  listenersOf(signal: (typeof SIGNALS)[number]): readonly (() => void)[] {
    const before = this.#before.get(signal) ?? [];
    return process.listeners(signal).filter((one) => !before.includes(one)) as (() => void)[];
  }

  raise(signal: (typeof SIGNALS)[number]): void {
    for (const listener of this.listenersOf(signal)) listener();
  }

  get lines(): readonly unknown[] {
    return this.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
  }

  /** The files of the command's own folder, with their rights. */
  get files(): Record<string, [content: string, mode: string]> {
    return filesIn(join(this.folder, OWN));
  }
}

/** The mode of a file for everyone, as far as this machine allows it. */
const READABLE = (0o644 & ~process.umask()).toString(8);

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function filesIn(folder: string): Record<string, [content: string, mode: string]> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const mode = (statSync(join(folder, name)).mode & 0o777).toString(8);
      return [name, [readFileSync(join(folder, name), 'utf8'), mode]];
    }),
  );
}

const definitionFile = (name: string): string =>
  fileURLToPath(new URL(`../../../support/application/${name}.ts`, import.meta.url));

/** The message of a command that could not run. */
async function whyNot(...args: ConstructorParameters<typeof Command>): Promise<string> {
  const { ended } = new Command(...args);
  const error: unknown = await ended.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CannotRun);
  return (error as Error).message;
}

/** The reader of `@nestjs/config`. */
const DOTENV = createRequire(createRequire(import.meta.url).resolve('@nestjs/config'))('dotenv') as {
  readonly parse: (text: string) => Record<string, string>;
};

const variablesOf = (values: readonly string[]): Record<string, string> =>
  Object.fromEntries(values.map((value, index) => [`V_${index}`, value]));

const SECURED = { cert: 'the certificate\n', key: 'the key\n' };

describe('the start of provider-auth simulate', () => {
  it('B25: starts a simulator with fixed credentials that records no request', async () => {
    const { start, folder } = await Command.started();
    expect(start.mock.calls).toStrictEqual([
      [
        {
          port: 0,
          credentials: fixedCredentials,
          demandsClientCertificate: undefined,
          tlsFiles: { ca: join(folder, OWN, 'ca.pem') },
          keyFileOf: expect.any(Function),
          authority: { load: expect.any(Function), save: expect.any(Function) },
          recordApiRequests: false,
          recordTokenRequests: false,
        },
      ],
    ]);
  });

  it('B25 B37: passes the options on to the simulator', async () => {
    const { start, folder } = await Command.started((given) => ({
      port: 0,
      ca: join(given, 'own.pem'),
      demandClientCertificate: true,
      lifetime: 7.5,
      latency: 30,
      provider: definitionFile('one-definition'),
    }));
    expect(start.mock.calls[0]?.[0]).toMatchObject({
      demandsClientCertificate: true,
      tlsFiles: {
        ca: join(folder, 'own.pem'),
        cert: join(folder, OWN, 'client.pem'),
        key: join(folder, OWN, 'client-key.pem'),
      },
      lifetimeSeconds: 7.5,
      latencyMs: 30,
      provider: { name: 'warehouse' },
    });
  });

  it('B25: names paths as the application in this folder reads them', async () => {
    const { start, folder } = await Command.started((given) => {
      mkdirSync(join(given, 'a'));
      return { ca: `${relative('.', given)}/a/../own.pem` };
    });
    expect(start.mock.calls[0]?.[0]).toMatchObject({
      tlsFiles: { ca: relative('.', join(folder, 'own.pem')) },
    });
  });

  it('B25: without a page, a definition and a fixed port, the session has no more than it needs', async () => {
    const { session, folder } = await Command.started();
    const [options] = session.mock.calls[0] ?? [];
    expect(options).toStrictEqual({
      provider: expect.objectContaining({ origin: 'https://localhost:1' }),
      definition: undefined,
      module: undefined,
      reporter: expect.any(Object),
      page: undefined,
      command: `node --env-file=${folder}/${OWN}/.env dist/main.js`,
      key: readFileSync(join(folder, OWN, 'key'), 'utf8').trim(),
    });
  });

  it('B25: the session has the page, the definition and the port after that of the simulator', async () => {
    const file = definitionFile('one-definition');
    const { session } = await Command.started(() => ({ port: 8443, page: true, provider: file }), {
      pageFolder: PAGE_FOLDER,
    });
    const [options] = session.mock.calls[0] ?? [];
    expect(options).toMatchObject({ definition: { name: 'warehouse' }, module: file, port: 8444 });
    expect([...(options?.page?.keys() ?? [])]).toEqual(['index.html', 'page.css', 'page.js', 'timeline.js']);
  });

  it('B25: says where everything is, and the counts at the end', async () => {
    const command = await Command.started((folder) => ({ accounts: 2, ca: join(folder, 'own.pem') }), {
      page: `${CONTROL}/`,
    });
    command.press('q');
    await command.ended;
    const { folder } = command;
    const settings = join(folder, OWN, '.env');
    expect(command.lines).toEqual([
      {
        event: 'started',
        origin: 'https://localhost:1',
        settings,
        ca: join(folder, 'own.pem'),
        command: `node --env-file=${settings} dist/main.js`,
        control: CONTROL,
        page: `${CONTROL}/`,
        accounts: 'merchant-1 to merchant-2',
      },
      { event: 'ended', counts: COUNTS },
    ]);
  });

  it('B25: without a page and without accounts, the start has no line for them', async () => {
    const { lines } = await Command.started();
    expect(Object.keys(lines[0] as object)).toEqual([
      'event',
      'origin',
      'settings',
      'ca',
      'command',
      'control',
    ]);
  });

  it('B25: without --json the lines are for people, and the keys are listed', async () => {
    const { text } = await Command.started(() => ({ json: false }));
    expect(text).toMatch(/^provider simulator {2}https:\/\/localhost:1\n/);
    expect(text).toContain('  keys       token: r revoke');
  });

  it('B25: begins with the faults and the callers of its options', async () => {
    const { done } = await Command.started(() => ({
      tokenStatus: { next: 1, status: 503 },
      apiStatus: { status: 418 },
      load: 50,
    }));
    expect(done).toEqual([
      'option: token {"next":1,"status":503}',
      'option: api {"status":418}',
      'callers {"callers":50}',
    ]);
  });
});

describe('provider-auth simulate cannot run', () => {
  it.each([
    ['EADDRINUSE', 'port 8443 is in use. End the other program, or choose another port with --port.'],
    [
      'EACCES',
      'port 8443 is not allowed for this user, or is reserved by the system. Choose another port above 1023 with --port.',
    ],
  ])('B25: if the system refuses the port with %s, and writes no file', async (code, says) => {
    const folder = emptyFolder();
    const onStart = (): never => {
      throw Object.assign(new Error('no port'), { code });
    };
    expect(await whyNot(() => ({ port: 8443 }), { onStart, folder })).toBe(says);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('B25: any other error of the start stays as it is', async () => {
    const error = new Error('another');
    const onStart = (): never => {
      throw error;
    };
    await expect(new Command(undefined, { onStart }).ended).rejects.toBe(error);
  });

  it('B25: if one file has two purposes, however it is written', async () => {
    const says = '--settings and --ca name the same file. Name two files.';
    expect(await whyNot((folder) => ({ settings: `${folder}/a/../one`, ca: join(folder, 'one') }))).toBe(
      says,
    );
    expect(await whyNot((folder) => ({ settings: join(folder, OWN, 'ca.pem') }))).toBe(says);
  });

  it('B25: if a module exports several definitions', async () => {
    const provider = definitionFile('warehouse');
    expect(await whyNot(() => ({ provider }))).toBe(
      `${provider} exports several definitions. Name a module that exports one.`,
    );
  });

  it('B37: if clients that present their own certificates have to present another one', async () => {
    const provider = definitionFile('keyless-definition');
    expect(await whyNot(() => ({ provider, demandClientCertificate: true }))).toBe(
      'the clients of this definition present their own certificates. Omit --demand-client-certificate.',
    );
    const { start } = await Command.started(() => ({ provider }));
    expect(start).toHaveBeenCalledOnce();
  });

  it('B25: if a file of the page is missing', async () => {
    const pageFolder = emptyFolder();
    for (const name of ['page.css', 'page.js', 'timeline.js']) writeFileSync(join(pageFolder, name), '');
    expect(await whyNot(() => ({ page: true }), { pageFolder })).toBe(
      'The file index.html of the page is missing. Reinstall the package, or use --no-page.',
    );
  });

  it('B25: if the callers cannot run, in the words of a chain', async () => {
    const given = { onLoad: () => Promise.reject(new ChainError('No callers here.')) };
    expect(await whyNot(() => ({ load: 1 }), given)).toBe('No callers here.');
  });

  it('B25: any other error of the callers stays as it is, and the simulator ends', async () => {
    const error = new TypeError('another');
    const command = new Command(() => ({ load: 1 }), { onLoad: () => Promise.reject(error) });
    await expect(command.ended).rejects.toBe(error);
    expect(command.done).toEqual(['callers {"callers":1}', 'the simulator ends']);
    expect(SIGNALS.flatMap((signal) => command.listenersOf(signal))).toEqual([]);
  });
});

describe('the files of provider-auth simulate', () => {
  const KEY_FILE = [expect.stringMatching(/^[\da-f]{32}\n$/), '600'];

  it('B25 B37: are the settings for their owner, the authority for everyone, and a key', async () => {
    const { files, folder } = await Command.started(undefined, { variables: { A: 'one', B_C: 'two' } });
    expect(files).toEqual({
      '.env': [`${MARK}A=one\nB_C=two\n`, '600'],
      '.gitignore': ['*\n', expect.any(String)],
      'ca.pem': [`${MARK}the authority\n`, READABLE],
      key: KEY_FILE,
    });
    expect(readdirSync(folder)).toEqual([OWN]);
  });

  it('B37: include the certificate that is demanded, and its key', async () => {
    const { files } = await Command.started(() => ({ demandClientCertificate: true }), {
      clientCertificate: SECURED,
    });
    expect(files['client.pem']).toEqual([`${MARK}the certificate\n`, '600']);
    expect(files['client-key.pem']).toEqual([`${MARK}the key\n`, '600']);
  });

  it('B32: include the keys of the clients, under the names that the settings have', async () => {
    const paths: string[] = [];
    const command = await Command.started(undefined, {
      onStart: ({ keyFileOf }) => paths.push(keyFileOf(EASY, 'a key\n', 'client-key')),
    });
    expect(paths).toEqual([join(command.folder, OWN, 'easy.sandbox.client-key.pem')]);
    expect(command.files['easy.sandbox.client-key.pem']).toEqual([`${MARK}a key\n`, '600']);
  });

  it('B25: include the authority and its key, in a folder of the user if one is named', async () => {
    const given: Given = {
      onStart: ({ authority }) => authority.save({ certificate: 'new\n', key: 'its key\n' }),
    };
    const usual = await Command.started(undefined, given);
    expect(usual.files['ca-key.pem']).toEqual([`${MARK}its key\n`, '600']);
    const kept = await Command.started((folder) => ({ keepCa: join(folder, 'kept') }), given);
    expect(Object.keys(kept.files)).toEqual(['.env', '.gitignore', 'ca.pem', 'key']);
    expect(filesIn(join(kept.folder, 'kept'))).toEqual({
      'ca-key.pem': [`${MARK}its key\n`, '600'],
      'ca.pem': [`${MARK}new\n`, READABLE],
    });
  });

  it('B25: are not in the folder of the user if nothing was kept there', async () => {
    const kept = await Command.started((folder) => ({ keepCa: join(folder, 'kept') }));
    expect(readdirSync(join(kept.folder, 'kept'))).toEqual([]);
  });

  it.each([
    ['.env', '--settings'],
    ['ca.pem', '--ca'],
    ['client.pem', '--settings'],
    ['easy.sandbox.client-key.pem', '--settings'],
  ])('B25: a foreign %s is kept, and %s names another one', async (name, option) => {
    const folder = emptyFolder();
    const file = join(folder, OWN, name);
    mkdirSync(join(folder, OWN));
    writeFileSync(file, 'foreign');
    const given: Given = {
      folder,
      clientCertificate: SECURED,
      onStart: ({ keyFileOf }) => keyFileOf(EASY, 'a key\n', 'client-key'),
    };
    expect(await whyNot(undefined, given)).toBe(
      `${file} exists, and this command did not write it. Name another file with ${option}, or replace the file with --force.`,
    );
    expect(readFileSync(file, 'utf8')).toBe('foreign');
    await Command.started(() => ({ force: true }), given);
    expect(readFileSync(file, 'utf8')).toMatch(/^# made by/);
  });

  it('B25: a place that cannot be written is named, and the simulator ends', async () => {
    const folder = emptyFolder();
    const file = join(folder, 'a-file');
    writeFileSync(file, '');
    const place = join(file, OWN);
    expect(await whyNot(() => ({ settings: join(file, '.env') }))).toMatch(
      /\/a-file\/\.provider-simulator cannot be written \(\w+\)\. Choose another place with --settings\.$/,
    );
    const command = new Command(() => ({ keepCa: place }));
    await expect(command.ended).rejects.toThrow(
      /\/a-file\/\.provider-simulator cannot be written \(\w+\)\. Choose another place with --keep-ca\.$/,
    );
    expect(command.done).toEqual(['the simulator ends']);
  });

  it('B25 B33: the settings have the credentials of the accounts', async () => {
    const { files } = await Command.started(() => ({ accounts: 1 }));
    expect(files['.env']?.[0]).toBe(
      `${MARK}A=one\nSIMULATED_ACCOUNTS='{"merchant-1":{"easy":{"sandbox":{"clientId":"merchant-1"}}}}'\n`,
    );
  });

  const PLAIN = ['https://localhost:8443/a_b-c+d%e=f,g@h.i/1', ''];

  it('B25: have no quotes around a value that needs none', async () => {
    const { files } = await Command.started(undefined, { variables: variablesOf(PLAIN) });
    expect(files['.env']?.[0]).toBe(`${MARK}V_0=${PLAIN[0]}\nV_1=\n`);
  });

  const FOR_ALL = [
    ...PLAIN,
    // A shell would end the value here, or replace a part.
    '/srv/R&D/ca.pem',
    '/srv/$(echo 1)/ca.pem',
    '$HOME',
    '~',
    'with space',
    ' space around ',
    'tab\there',
    'a#b',
    'a #b',
    'a"b',
    'a`b',
    'a\\',
    'C:\\new\\run',
    '\\$5',
    '"in quotes"',
    '`in quotes`',
    "it's",
    "it's #1",
    "rock 'n'",
    "'n' roll",
    "'in quotes'",
    "'",
    '{"one":{"two":"three"}}',
  ];

  // A shell has no quotes for these.
  const NOT_FOR_A_SHELL = ["C:\\O'Brien\\new", "it's $5", "it's $(echo 1)", `it's "5"`];

  it.each([
    ['Node', parseEnv],
    ['@nestjs/config', DOTENV.parse],
  ])('B25: have each value as %s reads it', async (_, read) => {
    const variables = variablesOf([...FOR_ALL, ...NOT_FOR_A_SHELL]);
    const { files } = await Command.started(undefined, { variables });
    expect(read(files['.env']?.[0] ?? '')).toEqual(variables);
  });

  it.each(['\'"`', "it's `5`", "C:\\O'Brien\\`new`"])(
    'B25: are not written with the value %s, for which no quotes fit',
    async (value) => {
      const command = new Command(undefined, { variables: { PROVIDER_CA_FILE: value } });
      await expect(command.ended).rejects.toThrow(
        new CannotRun('PROVIDER_CA_FILE has too many kinds of quotes for a settings file. Use another path.'),
      );
    },
  );

  it('B25: have each value as a shell reads it, where that is possible', async () => {
    const variables = variablesOf(FOR_ALL);
    const { folder } = await Command.started(undefined, { variables });
    const names = Object.keys(variables).map((name) => `"$${name}"`);
    const script = `. '${join(folder, OWN, '.env')}'; printf '%s\\n' ${names.join(' ')}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\n')).toEqual([...FOR_ALL, '']);
  });

  it('B25: the printed line has the path of the settings in quotes if it needs them', async () => {
    const { lines, folder } = await Command.started((given) => ({
      settings: join(given, 'with space/.env'),
    }));
    expect(lines[0]).toMatchObject({ command: `node --env-file='${folder}/with space/.env' dist/main.js` });
  });
});

describe('the end of provider-auth simulate', () => {
  it.each(SIGNALS)('B25: comes with %s, in order, and leaves no listener behind', async (signal) => {
    const command = await Command.started();
    for (const one of SIGNALS) expect(command.listenersOf(one)).toHaveLength(1);
    command.raise(signal);
    await command.ended;
    expect(command.done).toEqual(['keys end', 'the session ends', 'the simulator ends']);
    expect(command.lines.at(-1)).toEqual({ event: 'ended', counts: COUNTS });
    expect(SIGNALS.flatMap((one) => command.listenersOf(one))).toEqual([]);
    expect(command.keys.listenerCount('data')).toBe(0);
  });

  it.each(['q', '\u0003', '\u0004'])('B25: comes with the key %j', async (key) => {
    const command = await Command.started();
    command.press(key);
    await command.ended;
    expect(command.done).toEqual(['keys end', 'the session ends', 'the simulator ends']);
  });

  it.each<[first: string, end: (command: Command) => void]>([
    ['a signal', (command) => command.raise('SIGINT')],
    ['a key', (command) => command.press('q')],
  ])(
    'B25: a second after %s, the next signal ends the process, even before the simulator is closed',
    async (_, end) => {
      const command = await Command.started();
      vi.useFakeTimers({ toFake: ['setTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      end(command);
      // npm passes on the signal that the command has already.
      vi.advanceTimersByTime(999);
      expect(SIGNALS.flatMap((one) => command.listenersOf(one))).toHaveLength(3);
      vi.advanceTimersByTime(1);
      expect(command.done).not.toContain('the simulator ends');
      expect(SIGNALS.flatMap((one) => command.listenersOf(one))).toEqual([]);
    },
  );

  it.each(['pipe', 'nothing'] as const)('B25: %s as input has no keys', async (input) => {
    const command = new Command(() => ({ json: false }), { input });
    await vi.waitUntil(() => command.text.includes('dist/main.js'), QUICKLY);
    command.raise('SIGINT');
    await command.ended;
    expect(command.keys.listenerCount('data')).toBe(0);
    expect(command.text).not.toContain('keys');
    expect(command.done).toEqual(['the session ends', 'the simulator ends']);
  });
});

describe('the keys of provider-auth simulate', () => {
  it('B25: make faults', async () => {
    const command = await Command.started(undefined, { page: `${CONTROL}/` });
    for (const key of ['r', '5', 'u', 'c', 'z']) command.press(key);
    expect(command.done).toEqual([
      'key: token {"revokeAll":true}',
      'key: token {"next":1,"status":503}',
      'key: api {"next":1,"unauthorized":true}',
      'key: simulator {"reset":true}',
    ]);
  });

  it('B25: o does nothing without a page', async () => {
    const command = await Command.started(() => ({ json: false }));
    const before = command.text;
    command.press('oq');
    await command.ended;
    expect(command.text.slice(before.length)).toBe(
      'Ended after 1 token request, 2 API requests, 0 failed.\n',
    );
  });

  it('B25: o says where the page is if no program opens it', async () => {
    vi.stubEnv('PATH', emptyFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    const command = await Command.started(() => ({ json: false }), { page: `${CONTROL}/` });
    expect(command.text).toContain('o open the page');
    command.press('o');
    await vi.waitUntil(() => command.text.includes('No program'), QUICKLY);
    expect(command.text).toMatch(
      /\nNo program of this system opened the page\. Open http:\/\/127\.0\.0\.1:2\/key\/\n$/,
    );
    expect(command.done).toEqual([]);
  });
});
