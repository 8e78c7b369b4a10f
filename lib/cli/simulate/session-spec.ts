import { existsSync } from 'node:fs';
import type { ShownAction } from './reporter.js';
import type { ShownRequest } from './shown.js';

/** A definition that `--provider` named. */
export interface OwnDefinition {
  readonly name: string;
  /** The module that exports it, from the folder in which the simulator runs. */
  readonly module: string;
}

const BUILT_IN = {
  imports: `import { getProviderHttpToken, ProviderAuthModule } from 'nestjs-provider-auth';`,
  start: `  const provider = await ProviderSimulator.start();
  const module = ProviderAuthModule.forRoot(provider.options());`,
  token: 'getProviderHttpToken',
};

function partsFor({ name, module }: OwnDefinition): typeof BUILT_IN {
  // The option takes `dist/stock.js` for a file, an import for a package.
  const isBareFile = /^[^./]/.test(module) && existsSync(module);
  return {
    imports: `// From the folder in which the simulator ran.
import * as definitions from ${quoted(isBareFile ? `./${module}` : module)};`,
    start: `  const exported: any[] = Object.values({ ...definitions, ...(definitions as any).default });
  const definition = exported.find((one) => one?.name === ${quoted(name)});
  const provider = await ProviderSimulator.start({ provider: definition });
  const module = definition.Module.forRoot(provider.options());`,
    token: 'definition.httpToken',
  };
}

const fileOf = ({ imports, start, token }: typeof BUILT_IN, body: string): string =>
  `// Recorded by the page of the simulator. The calls run one after the other here.
import { NestFactory } from '@nestjs/core';
${imports}
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { expect, it } from 'vitest';

it('behaves as in the recorded session', async () => {
${start}
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const call = async (name: any, environment: any, method: string, url: string) => {
    const { axiosRef } = app.get(${token}(name, environment));
    const response = await axiosRef({ method, url }).catch((error: any) => error.response ?? error);
    return response.status ?? 'no answer';
  };

${body}

  await app.close();
  await provider.close();
});
`;

/** One thing that happened, as a line of the spec. */
interface Line {
  readonly at: string;
  readonly id: number;
  readonly code: string;
}

/** To the application, the resend of a refused call is the same call. The spec has no accounts. */
function isOwnCall({ kind, resendOf, interface: name, account }: ShownRequest): boolean {
  return kind === 'api' && resendOf === undefined && name !== undefined && account === undefined;
}

/**
 * A spec that makes the same faults and the same calls, one after the other. Calls that the package sends again are left out,
 * because it sends them again in the spec, too.
 */
export function sessionSpec(
  requests: readonly ShownRequest[],
  actions: readonly ShownAction[],
  definition?: OwnDefinition,
): string {
  const answers = new Map(
    requests.flatMap((request) =>
      request.resendOf === undefined ? [] : [[request.resendOf, request.status] as const],
    ),
  );
  const calls = requests.filter(isOwnCall).map(({ at, id, method, path, status, ...pair }) => {
    const place = [pair.interface, pair.environment].map((text) => quoted(text ?? '')).join(', ');
    const expected = answers.get(id) ?? status;
    const call = `await call(${place}, ${quoted(method)}, ${quoted(path.replace(/\?…$/, ''))})`;
    return { at, id, code: `expect(${call}).toBe(${expected ?? quoted('no answer')});` };
  });
  const faults = actions.map(({ at, code }) => ({ at, id: 0, code }));
  const lines: readonly Line[] = [...calls, ...faults].toSorted(
    (one, other) => one.at.localeCompare(other.at) || one.id - other.id,
  );
  const body = repeated(lines.map(({ code }) => code)).map((line) => `  ${line}`);
  return fileOf(definition ? partsFor(definition) : BUILT_IN, body.join('\n'));
}

/** A fault or an action as a line of a test. */
export function lineOf(chain: string): string {
  // A removal of one fault has no method: the reader decides.
  if (chain.startsWith('simulator.takeBack'))
    return `// ${chain}: remove the line of that fault, or give it a number with next()`;
  if (chain === 'simulator.reset()') return 'provider.reset();';
  return chain.includes('…')
    ? `// provider.${chain}: fill in what the page does not show`
    : `provider.${chain};`;
}

/** The same line many times in a row is a loop. */
function repeated(lines: readonly string[]): string[] {
  const result: string[] = [];
  for (let first = 0; first < lines.length;) {
    const line = lines[first] ?? '';
    let next = first + 1;
    while (lines[next] === line) next += 1;
    const count = next - first;
    result.push(count === 1 ? line : `for (let count = 0; count < ${count}; count += 1) ${line}`);
    first = next;
  }
  return result;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
