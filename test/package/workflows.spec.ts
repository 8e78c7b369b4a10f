import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { NOT_ON_WINDOWS } from '../only-in-all.js';
import { manifest, ROOT, temporaryDirectory } from '../support/package/packed-package.js';
import { runCommand, runNode } from '../support/run/run-command.js';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly 'runs-on': string;
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const workflows = readdirSync(join(ROOT, '.github/workflows')).map((name) => {
  const text = textOf(`.github/workflows/${name}`);
  return { name, text, workflow: parse(text) as Workflow };
});
const release = workflows.find(({ name }) => name === 'release.yml')?.workflow.jobs ?? {};

/** Everything that a job may write. Every other permission is only for reading. */
const WRITES: Readonly<Record<string, readonly string[]>> = {
  'release.yml publish': ['id-token'],
  'release.yml release': ['contents'],
  'scorecard.yml analysis': ['id-token', 'security-events'],
};

const commandsOf = ({ steps = [] }: Partial<Job> = {}): string[] => steps.flatMap(({ run }) => run ?? []);

describe.each(workflows)('the workflow $name', ({ name, text, workflow }) => {
  it('may only read, except for the jobs that need more', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' });
    const writing = Object.entries(workflow.jobs).map(([job, { permissions = {} }]) => {
      const writes = Object.entries(permissions).filter(([, access]) => access !== 'read');
      expect(writes.filter(([, access]) => access !== 'write')).toEqual([]);
      return [`${name} ${job}`, writes.map(([permission]) => permission).toSorted()] as const;
    });
    expect(writing).toEqual(writing.map(([job]) => [job, WRITES[job] ?? []]));
  });

  it('names every action by its commit, with the version in a comment', () => {
    const lines = text.split('\n').filter((line) => /\buses:/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    const pinned = /^ +(?:- )?uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(lines.filter((line) => !pinned.test(line))).toEqual([]);
  });

  it('runs no text of a pull request, and keeps no credential in the checkout', () => {
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
    expect(text).not.toContain('secrets.');
    const checkouts = steps.filter(({ uses = '' }) => uses.startsWith('actions/checkout@'));
    expect(checkouts.length).toBeGreaterThan(0);
    expect(checkouts.filter((step) => step.with?.['persist-credentials'] !== false)).toEqual([]);
  });
});

describe('the tests on other systems', () => {
  const { jobs = {} } = workflows.find(({ name }) => name === 'ci.yml')?.workflow ?? {};

  it.each([
    ['macos', 'macos-latest'],
    ['windows', 'windows-latest'],
  ])('B37: the job %s runs `npm test`', (job, system) => {
    expect(jobs[job]?.['runs-on']).toBe(system);
    expect(commandsOf(jobs[job]).at(-1)).toMatch(/(^|&& )npm test$/);
  });

  it('B37: only specs that exist are left out on Windows, each with a reason', () => {
    for (const [place, reason] of Object.entries(NOT_ON_WINDOWS)) {
      expect(existsSync(join(ROOT, place.replace('/**', '')))).toBe(true);
      expect(reason).toMatch(/^[A-Z].{10,}\.$/);
    }
  });
});

describe('the workflows together', () => {
  it('use one version of each action', () => {
    const used = workflows.flatMap(({ text }) => [...text.matchAll(/uses: ([^@]+)@(.+)$/gm)]);
    const versions = new Map<string, Set<string>>();
    for (const [, action = '', version = ''] of used)
      versions.set(action, (versions.get(action) ?? new Set()).add(version));
    expect([...versions].filter(([, all]) => all.size > 1)).toEqual([]);
  });

  it('have no permission in the list of this spec that no job uses', () => {
    const jobs = workflows.flatMap(({ name, workflow }) =>
      Object.keys(workflow.jobs).map((job) => `${name} ${job}`),
    );
    expect(Object.keys(WRITES).filter((job) => !jobs.includes(job))).toEqual([]);
  });
});

describe('a release', () => {
  it('runs every suite first, and publishes with its provenance and without a token', () => {
    const [suites, pack] = commandsOf(release['check']).slice(-2);
    expect(suites).toMatch(/ \.ci\/run$/);
    expect(pack).toMatch(/^npm pack --ignore-scripts && /);
    expect(release['publish']?.needs).toBe('check');
    expect(release['release']?.needs).toBe('publish');
    // The job that may publish runs nothing of this repository and of its dependencies.
    expect(commandsOf(release['publish'])).toEqual([
      'npm publish ./nestjs-provider-auth-*.tgz --provenance --access public --ignore-scripts',
    ]);
    expect(release['publish']?.steps.map(({ uses = '' }) => uses.split('@')[0]).filter(Boolean)).toEqual([
      'actions/setup-node',
      'actions/download-artifact',
    ]);
    const [node] =
      release['publish']?.steps.filter(({ uses }) => uses?.startsWith('actions/setup-node@')) ?? [];
    expect(node?.with?.['node-version']).toBeGreaterThanOrEqual(24);
    expect(textOf('.github/workflows/release.yml')).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN/);
  });

  it.each([
    [`v${manifest.version}`, 0],
    [manifest.version, 1],
    ['v99.0.0', 1],
  ])('with the tag %s ends with %i', async (tag, expected) => {
    const [command = ''] = commandsOf(release['check']);
    const env = { ...process.env, GITHUB_REF_NAME: tag };
    const { code } = await runCommand('bash', ['-c', command], { cwd: ROOT, env });
    expect(code).toBe(expected);
  });

  it.each([
    ['v1.0.0', 'account', 0],
    ['v1.0.0', 'OWNER', 1],
    ['v1.0.0-beta.1', 'account', 1],
  ])('with the tag %s and the account %s ends with %i', async (tag, account, expected) => {
    const folder = await temporaryDirectory();
    onTestFinished(() => folder.remove());
    await writeFile(
      join(folder.path, 'package.json'),
      JSON.stringify({ repository: `github.com/${account}/x` }),
    );
    const [, command = ''] = commandsOf(release['check']);
    const env = { ...process.env, GITHUB_REF_NAME: tag };
    const { code } = await runCommand('bash', ['-e', '-c', command], { cwd: folder.path, env });
    expect(code).toBe(expected);
  });

  it('B19: attaches a list of what an installation brings, and of nothing else', async () => {
    expect(commandsOf(release['check']).at(-1)).toMatch(/ && npm run --silent sbom > sbom\.cdx\.json$/);
    expect(commandsOf(release['release']).join('\n')).toMatch(
      /^gh release create "\$GITHUB_REF_NAME" sbom\.cdx\.json /,
    );
    const [, ...command] = manifest.scripts['sbom']?.split(' ') ?? [];
    const { code, stdout } = await runNode(command, { cwd: ROOT, timeoutMs: 60_000 });
    expect(code).toBe(0);
    const { bomFormat, metadata, components } = JSON.parse(stdout);
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component).toMatchObject({
      name: manifest.name,
      purl: `pkg:npm/${manifest.name}@${manifest.version}`,
    });
    const { packages } = JSON.parse(textOf('package-lock.json'));
    const installed = Object.keys(manifest.dependencies).map(
      (name) => `${name}@${packages[`node_modules/${name}`].version}`,
    );
    expect(components.map(({ 'bom-ref': ref }: { 'bom-ref': string }) => ref)).toEqual(installed.toSorted());
  });

  it('CONTRIBUTING names its steps, and where the placeholder of the account stands', () => {
    const [, section = ''] = /^## Release$([^]*?)^## /m.exec(textOf('CONTRIBUTING.md')) ?? [];
    for (const named of [
      'git grep -lw OWNER',
      'release.yml',
      'trusted publisher',
      'CHANGELOG.md',
      'environment `npm`',
    ])
      expect(section).toContain(named);
  });
});

describe('the files that OpenSSF Scorecard looks for', () => {
  it.each(['SECURITY.md', 'LICENSE', '.github/CODEOWNERS', '.github/workflows/scorecard.yml'])(
    '%s exists',
    (file) => {
      expect(existsSync(join(ROOT, file))).toBe(true);
    },
  );

  it('dependabot keeps npm packages and actions up to date, in every folder with a lock file', () => {
    const { updates } = parse(textOf('.github/dependabot.yml')) as {
      updates: { 'package-ecosystem': string; directory?: string; directories?: string[] }[];
    };
    const folders = updates.map((one) => [one['package-ecosystem'], one.directories ?? one.directory]);
    expect(Object.fromEntries(folders)).toEqual({
      npm: ['/', '/test/bench/contenders'],
      'github-actions': '/',
    });
  });
});
