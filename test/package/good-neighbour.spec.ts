import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  installedWith,
  manifest,
  optionalPeers,
  requiredPeers,
  ROOT,
} from '../support/package/packed-package.js';
import { runNode } from '../support/run/run-command.js';

/** Does what undici 8 does when it is imported, but every Node can load this package. */
const REPLACES_THE_DISPATCHER = `
  const { Agent } = require(${JSON.stringify(join(ROOT, 'node_modules/undici'))});
  class Dispatcher1Wrapper extends Agent {
    static wrapHandler() {}
    dispatch() { throw new Error('This is not the dispatcher of Node.'); }
  }
  const registry = Symbol.for('undici.globalDispatcher.1');
  const property = { value: new Dispatcher1Wrapper(), writable: true, enumerable: false, configurable: false };
  Object.defineProperty(globalThis, registry, property);
  module.exports = require(${JSON.stringify(join(ROOT, 'node_modules/undici'))});
`;

/** An application that posts with Node's own `fetch` and then makes a transport. It prints the response. */
const HOST = `
  const server = require('node:http').createServer((request, response) => request.pipe(response));
  server.listen(0, '127.0.0.1', async () => {
    const address = 'http://127.0.0.1:' + server.address().port;
    const init = { method: 'POST', body: 'hello', headers: { 'content-length': '5' } };
    const answer = await fetch(address, init).then((response) => response.text(), (error) => error.cause.message);
    const pair = { interface: 'easy', environment: 'sandbox', baseUrl: 'https://api.example.com' };
    const transport = undiciTransport();
    await Promise.all([1, 2].map(() => transport.open(pair).close(Promise.resolve())));
    console.log('answer: ' + answer);
    process.exit();
  });
`;

const ENTRY = `${manifest.name}/undici`;
const IMPORTED = `
  import { createRequire } from 'node:module';
  import { undiciTransport } from '${ENTRY}';
  const require = createRequire('/');
  ${HOST}`;
const REQUIRED = `const { undiciTransport } = require('${ENTRY}'); ${HOST}`;
const UNDICI_FIRST = `require('undici'); ${REQUIRED}`;

const others = optionalPeers.filter((name) => name !== 'undici');
const directory = await installedWith([...requiredPeers, ...others, ...Object.keys(manifest.dependencies)]);
afterAll(() => directory.remove());
const undici = join(directory.path, 'node_modules/undici');
await mkdir(undici);
await writeFile(join(undici, 'index.js'), REPLACES_THE_DISPATCHER);

async function outputOf(file: string, text: string): Promise<string> {
  await writeFile(join(directory.path, file), text);
  return (await runNode([file], { cwd: directory.path })).output;
}

it.each([
  ['imported', 'host.mjs', IMPORTED],
  ['required', 'host.cjs', REQUIRED],
])(
  'B27: an undici that replaces the dispatcher does not change fetch if our entry is %s, and causes one warning',
  async (_, file, host) => {
    const output = await outputOf(file, host);
    expect(output).toContain('answer: hello');
    expect(output.match(/Install undici@7/g)).toHaveLength(1);
  },
);

it('B27: an undici that replaces the dispatcher changes fetch if the application imports undici before our entry', async () => {
  expect(await outputOf('earlier.cjs', UNDICI_FIRST)).toContain(
    'answer: This is not the dispatcher of Node.',
  );
});
