/**
 * Generates clients from `openapi.json`. The generators are installed into a temporary folder, so this repository does not
 * depend on them. Two of them need Node 22.18 or later.
 *
 *   npm run generate --workspace sample/06-generated-clients      the two clients in `src/generated`
 *   node generate.mjs <folder>                                    all clients, into this folder
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const CLIENTS = 'src/generated';
const COMMITTED = ['openapi-fetch', 'orval-axios'];
const INPUT = 'openapi.json';

/**
 * Each client: the package of its generator, and the command. `OUT` is the folder of the client.
 *
 * @type {Record<string, [generator: string, command: string]>}
 */
const GENERATORS = {
  'hey-api-axios': ['@hey-api/openapi-ts@0.99.0', `openapi-ts -i ${INPUT} -o OUT -c @hey-api/client-axios`],
  'hey-api-fetch': ['@hey-api/openapi-ts@0.99.0', `openapi-ts -i ${INPUT} -o OUT -c @hey-api/client-fetch`],
  'openapi-fetch': ['openapi-typescript@7.13.0', `openapi-typescript ${INPUT} -o OUT/schema.ts`],
  'orval-axios': ['orval@8.38.0', 'orval -c orval.config.mjs -p orval-axios'],
  'orval-fetch': ['orval@8.38.0', 'orval -c orval.config.mjs -p orval-fetch'],
  'swagger-typescript-api-axios': [
    'swagger-typescript-api@13.13.0',
    `swagger-typescript-api generate -p ${INPUT} -o OUT -n payments.ts --axios`,
  ],
  'swagger-typescript-api-fetch': [
    'swagger-typescript-api@13.13.0',
    `swagger-typescript-api generate -p ${INPUT} -o OUT -n payments.ts`,
  ],
};

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) throw new Error('The generators need Node 22.18 or later.');

const [target] = process.argv.slice(2);
const chosen = Object.entries(GENERATORS).filter(
  ([name]) => target !== undefined || COMMITTED.includes(name),
);

const folder = mkdtempSync(join(tmpdir(), 'generated-clients-'));
try {
  for (const file of [INPUT, 'orval.config.mjs', 'tsconfig.json', 'src/orval-send.ts'])
    cpSync(join(HERE, file), join(folder, file));
  // The generators read the settings of the compiler: imports end with `.js`.
  cpSync(join(HERE, '../../tsconfig.json'), join(folder, 'root.json'));
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: './root.json', include: ['src'] }));
  const packages = chosen.map(([, [generator]]) => generator);
  run('npm', ['install', '--no-save', '--no-audit', '--no-fund', 'typescript@5.9.3', ...new Set(packages)]);
  for (const [name, [generator, command]] of chosen) generate(name, generator, command);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} name
 * @param {string} generator
 * @param {string} command
 */
function generate(name, generator, command) {
  const out = join(CLIENTS, name);
  const line = command.replace('OUT', out);
  run('npx', ['--no-install', ...line.split(' ')]);
  for (const file of readdirSync(join(folder, out), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const path = join(folder, out, file);
    writeFileSync(path, headerOf(generator, line) + readFileSync(path, 'utf8'));
  }
  const home = join(target ?? join(HERE, CLIENTS), name);
  rmSync(home, { recursive: true, force: true });
  cpSync(join(folder, out), home, { recursive: true });
}

/**
 * The compiler of this repository is stricter than the generators expect. A nightly spec compiles the clients without the first line.
 *
 * @param {string} generator
 * @param {string} line
 */
function headerOf(generator, line) {
  return `// @ts-nocheck\n// Generator: ${generator}\n// Command: ${line}\n\n`;
}

/**
 * @param {string} command
 * @param {string[]} given
 */
function run(command, given) {
  execFileSync(command, given, { cwd: folder, stdio: 'inherit' });
}
