import { describe, expect, it } from 'vitest';
import type { ArmedFault } from '../../../../lib/cli/simulate/armed-faults.js';
import type { ShownAction } from '../../../../lib/cli/simulate/reporter.js';
import { lineOf, resetTo, sessionSpec } from '../../../../lib/cli/simulate/session-spec.js';
import type { ShownRequest } from '../../../../lib/cli/simulate/shown.js';
import { atMs, shownCall as call } from '../../../support/application/shown-session.js';

const REFUSED = { ok: false, status: 401, reason: 'token revoked' };

const token = (id: number, ok: boolean): ShownRequest =>
  call(id, { kind: 'token', method: 'POST', path: '/token', ok, status: ok ? 200 : 503 });

const action = (ms: number, code: string): ShownAction => ({
  id: 1,
  kind: 'fault',
  at: atMs(ms),
  by: 'page',
  chain: '',
  body: '',
  code,
});

/** The lines between the start and the end of the application. */
function linesOf(...given: Parameters<typeof sessionSpec>): string[] {
  const [, body = ''] =
    /\n {2}\};\n\n([^]*)\n\n {2}await app\.close\(\);\n/.exec(sessionSpec(...given)) ?? [];
  return body.split('\n').map((line) => line.replace(/^ {2}/, ''));
}

const expected = (path: string, status: number | string): string =>
  `expect(await call('easy', 'sandbox', 'GET', '${path}')).toBe(${status});`;

describe('the recorded session as a file', () => {
  it('B25: starts a simulator and an application, and closes them', () => {
    expect(sessionSpec([call(1)], []))
      .toBe(`// Recorded by the page of the simulator. The calls run one after the other here.
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

  expect(await call('easy', 'sandbox', 'GET', '/1')).toBe(200);

  await app.close();
  await provider.close();
}, 60_000);
`);
  });

  it('B25 B24: finds your own definition by its name, and in a rotation the first reading is the old secret', () => {
    const rotation = action(1, 'provider.rotateSecret("items", "test");');
    const definition = { name: 'stock', module: '@our/definitions' };
    expect(sessionSpec([], [rotation, action(2, 'provider.reset();')], { definition }))
      .toBe(`// Recorded by the page of the simulator. The calls run one after the other here.
import { NestFactory } from '@nestjs/core';
// From the folder in which the simulator ran.
import * as definitions from '@our/definitions';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { expect, it } from 'vitest';

it('behaves as in the recorded session', async () => {
  const exported: any[] = Object.values({ ...definitions, ...(definitions as any).default });
  const definition = exported.find((one) => one?.name === 'stock');
  const provider = await ProviderSimulator.start({ provider: definition });
  const options: any = provider.options();
  const [name, environment] = ["items", "test"];
  let next = options.interfaces[name][environment].clientSecret;
  options.interfaces[name][environment].clientSecret = () => {
    const secret = next;
    next = provider.credentials(name as any, environment as any).clientSecret;
    return secret;
  };
  const module = definition.Module.forRoot(options);
  const app = await NestFactory.createApplicationContext(module, { logger: false });
  const call = async (name: any, environment: any, method: string, url: string) => {
    const { axiosRef } = app.get(definition.httpToken(name, environment));
    const response = await axiosRef({ method, url }).catch((error: any) => error.response ?? error);
    return response.status ?? 'no answer';
  };

  provider.rotateSecret("items", "test");
  provider.reset();

  await app.close();
  await provider.close();
}, 60_000);
`);
  });

  it.each([
    ['a package', 'our-definitions', 'our-definitions'],
    ['a package that has the name of no file', 'test/no-such-file.js', 'test/no-such-file.js'],
    ['a file', 'test/README.md', './test/README.md'],
    ['a relative path', './package.json', './package.json'],
    // On Windows it begins with the letter of a drive.
    ['an absolute path', process.execPath, process.execPath.replaceAll('\\', String.raw`\\`)],
    ['a path with a quote', "it's.js", String.raw`it\'s.js`],
  ])('B25 B24: imports your definition from %s', (_, module, imported) => {
    const spec = sessionSpec([], [], { definition: { name: "Ann's", module } });
    expect(spec).toContain(`import * as definitions from '${imported}';`);
    expect(spec).toContain(String.raw`one?.name === 'Ann\'s'`);
  });
});

describe('the calls of the recorded session', () => {
  it('B25: each call expects the status that it had', () => {
    const { status: _, ...unanswered } = call(3, { ok: false });
    const requests = [call(1), call(2, { ok: false, status: 500 }), unanswered];
    expect(linesOf(requests, [])).toEqual([
      expected('/1', 200),
      expected('/2', 500),
      expected('/3', "'no answer'"),
    ]);
  });

  it('B25: a call has its method, and its path without what the page does not show', () => {
    const requests = [
      call(1, { method: 'PATCH', path: '/payments?…' }),
      call(2, { path: '/a?…/b' }),
      call(3, { path: String.raw`/it's\here` }),
    ];
    expect(linesOf(requests, [])).toEqual([
      "expect(await call('easy', 'sandbox', 'PATCH', '/payments')).toBe(200);",
      expected('/a?…/b', 200),
      expected(String.raw`/it\'s\\here`, 200),
    ]);
  });

  it('B25: token requests, unknown addresses and calls of an account have no line', () => {
    const { interface: _, ...nowhere } = call(2);
    expect(linesOf([token(1, true), nowhere, call(3, { account: 'merchant-1' })], [])).toEqual(['']);
  });

  it('B25: a call without an environment names none', () => {
    const { environment: _, ...request } = call(1);
    expect(linesOf([request], [])).toEqual(["expect(await call('easy', '', 'GET', '/1')).toBe(200);"]);
  });

  it('B25: the same call many times in a row is a loop', () => {
    const same = { path: '/same' };
    const requests = [call(1, same), call(2, same), call(3), call(4, same), call(5, same), call(6, same)];
    expect(linesOf(requests, [])).toEqual([
      `for (let count = 0; count < 2; count += 1) ${expected('/same', 200)}`,
      expected('/3', 200),
      `for (let count = 0; count < 3; count += 1) ${expected('/same', 200)}`,
    ]);
  });

  it('B25: a refused call that was sent again is one call with the last answer', () => {
    const requests = [
      call(1, REFUSED),
      call(2, { resendOf: 1 }),
      call(3, REFUSED),
      call(4, { resendOf: 3, ok: false, status: 404, reason: 'caused by a fault' }),
    ];
    expect(linesOf(requests, [])).toEqual([expected('/1', 200), expected('/3', 404)]);
  });

  it('B25: a resend of a call that is no longer known is a call', () => {
    expect(linesOf([call(8, { resendOf: 7 })], [])).toEqual([expected('/8', 200)]);
  });

  it('B25: after another action, a resend is the next call, and the answer of the refused one is unknown', () => {
    const requests = [call(10, REFUSED), call(20, { resendOf: 10 })];
    expect(linesOf(requests, [action(15, 'provider.reset();')])).toEqual([
      "await call('easy', 'sandbox', 'GET', '/10'); // token revoked",
      'provider.reset();',
      expected('/20', 200),
    ]);
  });

  it.each([5, 10, 20, 25])('B25: an action after %d ms is not between a call and its resend', (ms) => {
    const requests = [call(10, REFUSED), call(20, { resendOf: 10 })];
    expect(linesOf(requests, [action(ms, 'provider.token.status(503);')])).toContain(expected('/10', 200));
  });

  it('B25: a refused call that was not sent again expects nothing', () => {
    const requests = [
      call(1, { ...REFUSED, reason: 'token expired' }),
      call(2, { reason: 'token of a fault' }),
    ];
    expect(linesOf(requests, [])).toEqual([
      "await call('easy', 'sandbox', 'GET', '/1'); // token expired",
      expected('/2', 200),
    ]);
  });

  it('B25: the first call after a failed token request waits for the pause of the client', () => {
    const requests = [token(1, true), call(2), token(3, false), call(4, REFUSED), call(5), call(6)];
    expect(linesOf(requests, [])).toEqual([
      expected('/2', 200),
      "await call('easy', 'sandbox', 'GET', '/4'); // token revoked",
      "await expect.poll(() => call('easy', 'sandbox', 'GET', '/5'), { timeout: 20_000 }).toBe(200);",
      expected('/6', 200),
    ]);
  });

  it('B25: a failed call makes no client pause', () => {
    expect(linesOf([call(1, { ok: false, status: 500 }), call(2)], [])).toEqual([
      expected('/1', 500),
      expected('/2', 200),
    ]);
  });
});

describe('the faults of the recorded session', () => {
  it('B25: stand where they happened, each of their lines apart', () => {
    const actions = [
      action(25, 'provider.token.status(503);'),
      action(15, 'provider.reset();\nprovider.api.status(500);'),
    ];
    // In any order: the times decide.
    expect(linesOf([call(30), call(10), call(20)], actions)).toEqual([
      expected('/10', 200),
      'provider.reset();',
      'provider.api.status(500);',
      expected('/20', 200),
      'provider.token.status(503);',
      expected('/30', 200),
    ]);
  });

  it.each([
    ['provider.api.status(500);', ['worked', 'fault', 'failed']],
    ['provider.reset();', ['failed', 'fault', 'worked']],
    ['provider.reset();\nprovider.api.status(404);', ['failed', 'fault', 'worked']],
    ['provider.api.status(500); // before provider.reset()', ['worked', 'fault', 'failed']],
  ])(
    'B25: a call that worked in the same millisecond came before the fault, and after its end: %j',
    (code, order) => {
      const requests = [
        call(2, { at: atMs(5), path: '/worked' }),
        call(1, { at: atMs(5), path: '/failed', ok: false, status: 500 }),
      ];
      const lines = linesOf(requests, [action(5, code)]);
      const [first = ''] = code.split('\n');
      const names = lines.flatMap((line) => (line === first ? ['fault'] : /worked|failed/.exec(line)) ?? []);
      expect(names).toEqual(order);
    },
  );

  it('B25: calls of the same millisecond without a fault keep their order, whether they worked or not', () => {
    const same = { at: atMs(5) };
    const requests = [call(3, same), call(1, same), call(2, { ...same, ok: false, status: 500 })];
    expect(linesOf(requests, [action(4, 'provider.reset();')])).toEqual([
      'provider.reset();',
      expected('/1', 200),
      expected('/2', 500),
      expected('/3', 200),
    ]);
  });
});

describe('a session whose first calls are no longer known', () => {
  const oldest = Date.parse(atMs(100));
  const fault = (id: number, changes: Partial<ArmedFault>): ArmedFault => ({
    id,
    on: 'api',
    label: '',
    code: `api.next(${id}).status(40${id})`,
    from: oldest - 1,
    ...changes,
  });

  it('B25: begins with the faults that still waited, each with the number that it had then', () => {
    const armed = [
      fault(1, { left: 1, leftBefore: 7 }),
      fault(2, { leftBefore: 8, until: oldest + 1 }),
      fault(3, { leftBefore: 0 }),
      fault(4, { leftBefore: 4, from: oldest }),
      fault(5, { leftBefore: 5, until: oldest }),
      fault(6, { code: 'token.status(503)' }),
    ];
    const requests = [call(100), call(101)];
    expect(linesOf(requests, [], { armed })).toEqual([
      '// The calls before are no longer known.',
      'provider.reset();',
      'provider.api.next(7).status(401);',
      'provider.api.next(8).status(402);',
      'provider.token.status(503);',
      expected('/100', 200),
      expected('/101', 200),
    ]);
    expect(sessionSpec(requests, [], { armed })).toContain(
      "\nit('behaves as in the last 2 requests of the recorded session', async () => {\n",
    );
  });

  it('B25: begins after what happened before, and before what happened in the same millisecond', () => {
    const actions = [action(98, 'provider.before();'), action(100, 'provider.since();')];
    expect(linesOf([call(100)], actions, { armed: [] })).toEqual([
      'provider.before();',
      '// The calls before are no longer known.',
      'provider.reset();',
      expected('/100', 200),
      'provider.since();',
    ]);
  });

  it('B25: says nothing of calls before if there is no call', () => {
    expect(linesOf([], [], { armed: [fault(1, {})] })).toEqual(['']);
  });
});

describe('a line of a test', () => {
  it.each([
    ['simulator.reset()', 'provider.reset();'],
    ['token.for("easy").next(2).status(503)', 'provider.token.for("easy").next(2).status(503);'],
    ['api.body({…})', '// provider.api.body({…}): fill in what the page does not show'],
  ])('B25: %s', (chain, line) => {
    expect(lineOf(chain)).toBe(line);
  });

  it('B25: a removal of one fault removes all, and the others come back with what is left of them', () => {
    expect(resetTo([])).toBe('provider.reset();');
    expect(
      resetTo([
        { code: 'api.next(12).status(500)', left: 3 },
        { code: 'api.next().hang()', left: 1 },
        { code: 'token.body({…})' },
      ]),
    ).toBe(
      [
        'provider.reset();',
        'provider.api.next(3).status(500);',
        'provider.api.next(1).hang();',
        '// provider.token.body({…}): fill in what the page does not show',
      ].join('\n'),
    );
  });
});
