import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { ArmedFault } from './armed-faults.js';
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
  start: '  const provider = await ProviderSimulator.start();',
  module: 'ProviderAuthModule',
  token: 'getProviderHttpToken',
};

function partsFor({ name, module }: OwnDefinition): typeof BUILT_IN {
  // The option takes `dist/stock.js` for a file, an import for a package.
  const isBareFile = !module.startsWith('.') && !isAbsolute(module) && existsSync(module);
  return {
    imports: `// From the folder in which the simulator ran.
import * as definitions from ${quoted(isBareFile ? `./${module}` : module)};`,
    start: `  const exported: any[] = Object.values({ ...definitions, ...(definitions as any).default });
  const definition = exported.find((one) => one?.name === ${quoted(name)});
  const provider = await ProviderSimulator.start({ provider: definition });`,
    module: 'definition.Module',
    token: 'definition.httpToken',
  };
}

/** As in the scenario: the first reading after a rotation is the old secret. */
const lateSecret = (pair: string): string => `
  const options: any = provider.options();
  const [name, environment] = [${pair}];
  let next = options.interfaces[name][environment].clientSecret;
  options.interfaces[name][environment].clientSecret = () => {
    const secret = next;
    next = provider.credentials(name as any, environment as any).clientSecret;
    return secret;
  };`;

const fileOf = (
  { imports, start, module, token }: typeof BUILT_IN,
  {
    title,
    body,
    rotated,
  }: { readonly title: string; readonly body: string; readonly rotated?: string | undefined },
): string =>
  `// Recorded by the page of the simulator. The calls run one after the other here.
import { NestFactory } from '@nestjs/core';
${imports}
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { expect, it } from 'vitest';

it(${quoted(title)}, async () => {
${start}${rotated === undefined ? '' : lateSecret(rotated)}
  const module = ${module}.forRoot(${rotated === undefined ? 'provider.options()' : 'options'});
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const call = async (name: any, environment: any, method: string, url: string) => {
    const { axiosRef } = app.get(${token}(name, environment));
    const response = await axiosRef({ method, url }).catch((error: any) => error.response ?? error);
    return response.status ?? 'no answer';
  };

${body}

  await app.close();
  await provider.close();
}, 60_000);
`;

/** One thing that happened, as a line of the spec. */
interface Line {
  readonly at: string;
  readonly id: number;
  readonly code: string;
  /** Absent for a fault or an action. */
  readonly ok?: boolean;
}

/** The spec has no accounts. */
function isCall({ kind, interface: name, account }: ShownRequest): boolean {
  return kind === 'api' && name !== undefined && account === undefined;
}

/** The API refused its token, and the application had no other one: the caller saw what the simulator cannot know. */
function isLost({ ok, reason }: ShownRequest): boolean {
  return !ok && reason.startsWith('token ');
}

/**
 * A spec that makes the same faults and the same calls, one after the other. Calls that the package sends again are left out,
 * because it sends them again in the spec, too. `armed`: the faults, if the first calls are no longer known.
 */
export function sessionSpec(
  requests: readonly ShownRequest[],
  actions: readonly ShownAction[],
  {
    definition,
    armed,
  }: { definition?: OwnDefinition | undefined; armed?: readonly ArmedFault[] | undefined } = {},
): string {
  const arrivals = new Map(requests.map(({ id, at }) => [id, at]));
  // To the application, the resend of a refused call is the same call. After another action, it is more likely the next call.
  const isResend = ({ at, resendOf = 0 }: ShownRequest): boolean => {
    const refusedAt = arrivals.get(resendOf);
    return refusedAt !== undefined && !actions.some((action) => action.at > refusedAt && action.at < at);
  };
  const resends = requests.filter(isResend);
  const answers = new Map(resends.map(({ resendOf, status }) => [resendOf, status]));
  let pauses = false;
  const calls = requests.flatMap((request) => {
    const { at, id, kind, ok, method, path, status, ...pair } = request;
    pauses ||= kind === 'token' && !ok;
    if (!isCall(request) || resends.includes(request)) return [];
    const place = [pair.interface, pair.environment].map((text) => quoted(text ?? '')).join(', ');
    const expected = answers.get(id) ?? status;
    const call = `call(${place}, ${quoted(method)}, ${quoted(path.replace(/\?…$/, ''))})`;
    if (!answers.has(id) && isLost(request))
      return { at, id, ok, code: `await ${call}; // ${request.reason}` };
    // After a failed token request, a client pauses.
    const value = pauses ? `await expect.poll(() => ${call}, { timeout: 20_000 })` : `expect(await ${call})`;
    pauses = false;
    return { at, id, ok, code: `${value}.toBe(${expected ?? quoted('no answer')});` };
  });
  const faults: Line[] = actions.map(({ at, code }) => ({ at, id: 0, code }));
  const [oldest] = requests;
  if (oldest !== undefined && armed !== undefined) {
    const at = Date.parse(oldest.at);
    const then = armed
      .filter(({ from, until = Infinity, leftBefore }) => from < at && until > at && leftBefore !== 0)
      .map(({ code, leftBefore: left }) => ({ code, left }));
    faults.push({
      at: new Date(at - 1).toISOString(),
      id: 0,
      code: `// The calls before are no longer known.\n${resetTo(then)}`,
    });
  }
  const lines = [...calls, ...faults].toSorted(
    (one, other) =>
      one.at.localeCompare(other.at) || sideOf(one, faults) - sideOf(other, faults) || one.id - other.id,
  );
  const body = repeated(lines.flatMap(({ code }) => code.split('\n'))).map((line) => `  ${line}`);
  const [, rotated] = /rotateSecret\((.*)\)/.exec(actions.map(({ code }) => code).join('\n')) ?? [];
  const what = armed === undefined ? '' : `the last ${requests.length} requests of `;
  return fileOf(definition ? partsFor(definition) : BUILT_IN, {
    title: `behaves as in ${what}the recorded session`,
    body: body.join('\n'),
    rotated,
  });
}

/** A call that worked came before a fault of the same millisecond, or after its end: its place next to the action, which is 0. */
function sideOf({ at, ok }: Line, actions: readonly Line[]): number {
  const action = ok === undefined ? undefined : actions.find((one) => one.at === at);
  if (action === undefined) return 0;
  return ok === action.code.startsWith('provider.reset()') ? 1 : -1;
}

/** A removal of one fault has no method: all faults are removed, and the others come back. */
export function resetTo(
  waiting: readonly { readonly code: string; readonly left?: number | undefined }[],
): string {
  const others = waiting.map(({ code, left }) => lineOf(code.replace(/next\(\d*\)/, `next(${left})`)));
  return ['provider.reset();', ...others].join('\n');
}

/** A fault or an action as a line of a test. */
export function lineOf(chain: string): string {
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
