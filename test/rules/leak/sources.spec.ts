import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);

/** Other people's packages, generated files, and the canaries of the tests. */
const NOT_SEARCHED = /^(?:node_modules|dist|coverage|reports|test|\.git|package-lock\.json)$/;
const TEXT = /\.(?:[cm]?[jt]s|json|md|ya?ml|env|txt|sh|pem|example)$|^\.|^[A-Z]+$/;

/** Patterns of credentials. */
const SUSPECTS: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'a JSON web token': /\beyJ[\w-]{8,}\.[\w-]{8,}/,
  'a bearer token': /\bBearer [\w.~+/-]{16,}/,
  'a key of a cloud or a forge':
    /\b(?:AKIA[A-Z\d]{16}|gh[pousr]_\w{30,}|npm_\w{30,}|xox[abp]-[\w-]{10,}|sk-\w{20,})/,
  'a password in an address': /:\/\/[^\s/:@'"`<>${}]+:[^\s/:@'"`<>${}]+@/,
  'a secret with a value':
    /(?:secret|password|passwd|api_?key|access_?token)['"]?\s*[:=]\s*['"`][^'"`\s$<>{}[\]…]{8,}['"`]/i,
  'a variable with a value': /^\s*(?:export\s+)?[A-Z_]*(?:SECRET|PASSWORD|TOKEN)=(?!\s*$|["']?[<$…])\S{4,}/m,
  'a long random text': /(['"`])(?=[\w+/=-]*\d)(?=[\w+/=-]*[a-z])(?=[\w+/=-]*[A-Z])[\w+/=-]{32,}\1/,
  'a long hexadecimal text': /(['"`])[\da-f]{32,}\1/i,
};

/** These match a pattern, but they are no credentials. */
const HARMLESS: readonly RegExp[] = [
  /: [`'"][A-Z_]+(?:\$\{|[`'"]$)/,
  // The SHA-256 of no bytes, in an answer of the simulator.
  /^"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"$/,
  // What precedes each private key on the curve P-256, without the key.
  /^'3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'$/,
];

async function* filesOf(folder: URL): AsyncGenerator<URL> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (NOT_SEARCHED.test(entry.name)) continue;
    if (entry.isDirectory()) yield* filesOf(new URL(`${entry.name}/`, folder));
    else if (TEXT.test(entry.name)) yield new URL(entry.name, folder);
  }
}

function suspectsIn(text: string): string[] {
  return Object.entries(SUSPECTS).flatMap(([what, look]) =>
    [...text.matchAll(new RegExp(look, `g${look.flags}`))]
      .filter(([match]) => !HARMLESS.some((known) => known.test(match)))
      .map(([match]) => `${what}: ${match.slice(0, 24)}…`),
  );
}

it('S10: the sources contain no text that looks like a credential, outside of the tests', async () => {
  const found: string[] = [];
  let read = 0;
  for await (const file of filesOf(ROOT)) {
    read += 1;
    const name = file.pathname.slice(ROOT.pathname.length);
    for (const suspect of suspectsIn(await readFile(file, 'utf8'))) found.push(`${name}: ${suspect}`);
  }
  expect(read).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

it.each([
  ['a private key', '-----BEGIN EC PRIVATE KEY-----\nMHc'],
  ['a JSON web token', 'token: eyJhbGciOiJub25lIn0.eyJzdWIiOiJjYW5hcnkifQ.'],
  ['a bearer token', 'Authorization: Bearer canary-canary-4242'],
  ['a key of a cloud or a forge', 'AKIACANARYCANARY4242'],
  ['a password in an address', 'rediss://me:canary@host.example'],
  ['a secret with a value', "clientSecret: 'canary-4242'"],
  ['a variable with a value', 'PROVIDER_EASY_SANDBOX_CLIENT_SECRET=canary'],
  ['a long random text', "const k = 'c4n4ryCANARYc4n4ryCANARYc4n4ryCANARY'"],
  ['a long hexadecimal text', `'${'c4'.repeat(16)}'`],
])('S10: the sources are searched in a way that finds %s', (what, text) => {
  expect(suspectsIn(text).map((one) => one.split(':')[0])).toContain(what);
});
