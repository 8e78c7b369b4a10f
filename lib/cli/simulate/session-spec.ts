import type { ShownAction } from './reporter.js';
import type { ShownRequest } from './shown.js';

const FILE = `// Recorded by the page of the simulator. The calls run one after the other here.
import { NestFactory } from '@nestjs/core';
import { getProviderHttpToken, ProviderAuthModule } from 'nestjs-provider-auth';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { expect, it } from 'vitest';

it('behaves as in the recorded session', async () => {
  const provider = await ProviderSimulator.start();
  const module = ProviderAuthModule.forRoot(provider.options());
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const call = async (name: any, environment: any, method: string, url: string) => {
    const { axiosRef } = app.get(getProviderHttpToken(name, environment));
    const response = await axiosRef({ method, url }).catch((error: any) => error.response ?? error);
    return response.status ?? 'no answer';
  };

BODY

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
export function sessionSpec(requests: readonly ShownRequest[], actions: readonly ShownAction[]): string {
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
  return FILE.replace(
    'BODY',
    // A function, because a path may have `$&`.
    () =>
      repeated(lines.map(({ code }) => code))
        .map((line) => `  ${line}`)
        .join('\n'),
  );
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
