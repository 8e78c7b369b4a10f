import * as undici from 'undici';
import * as undiciLowest from 'undici-lowest';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dispatchersOfProcess, settingsOfDispatcher } from '../../../lib/net/dispatcher-settings.js';

const ORIGIN = 'https://api.example.com';
const connect = { rejectUnauthorized: false };
const checking = { rejectUnauthorized: true };

class OwnAgent extends undici.Agent {
  static made = 0;

  constructor(options?: undici.Agent.Options) {
    super(options);
    OwnAgent.made += 1;
  }
}

/** Whether the settings say that any certificate is accepted. Undefined if the dispatcher hides its settings. */
function acceptsAny(dispatcher: unknown): boolean | undefined {
  const settings = settingsOfDispatcher(dispatcher);
  return settings?.some((one) => Reflect.get(Object(one) as object, 'rejectUnauthorized') === false);
}

type Made = (lib: typeof undici, options: { readonly connect?: object }) => undici.Dispatcher;

const mock = (lib: typeof undici, options: object): undici.MockAgent => new lib.MockAgent(options);

const SHOWN: [what: string, make: Made][] = [
  ['an Agent', (lib, options) => new lib.Agent(options)],
  ['an Agent with one connection', (lib, options) => new lib.Agent({ ...options, connections: 1 })],
  ['an Agent by its tls', (lib, options) => new lib.Agent({ tls: options.connect } as undici.Agent.Options)],
  [
    'an Agent with an interceptor',
    (lib, options) => new lib.Agent(options).compose(lib.interceptors.retry()),
  ],
  ['a MockAgent', mock],
  ['a MockAgent over an Agent', (lib, options) => mock(lib, { agent: new lib.Agent(options) })],
  ['a MockPool', (lib, options) => mock(lib, options).get(ORIGIN)],
  ['a MockClient', (lib, options) => new lib.MockClient(ORIGIN, { agent: mock(lib, options) })],
  [
    'a ProxyAgent',
    (lib, options) =>
      new lib.ProxyAgent({
        uri: 'http://proxy.example',
        ...(options.connect && { requestTls: options.connect }),
      }),
  ],
  [
    'a ProxyAgent, for the proxy',
    (lib, options) =>
      new lib.ProxyAgent({
        uri: 'https://proxy.example',
        ...(options.connect && { proxyTls: options.connect }),
      }),
  ],
  [
    'an agent for the proxies of the environment',
    (lib, options) => new lib.EnvHttpProxyAgent({ httpsProxy: 'http://proxy.example', ...options }),
  ],
];

const LIBS = [
  ['the newest undici 7', undici],
  ['the lowest undici', undiciLowest as unknown as typeof undici],
] as const;

describe.each(LIBS)('of %s', (_name, lib) => {
  it.each(SHOWN)('S9: the settings of %s are shown', (_, make) => {
    expect(acceptsAny(make(lib, { connect }))).toBe(true);
    expect(acceptsAny(make(lib, { connect: checking }))).toBe(false);
    expect(acceptsAny(make(lib, {}))).toBe(false);
  });

  it.each<[string, () => unknown]>([
    ['a Pool', () => new lib.Pool(ORIGIN, { connect: checking })],
    ['a Client', () => new lib.Client(ORIGIN, { connect: checking })],
    ['a BalancedPool', () => new lib.BalancedPool(ORIGIN, { connect: checking })],
    ['a RetryAgent', () => new lib.RetryAgent(new lib.Agent())],
    ['a Pool with an interceptor', () => new lib.Pool(ORIGIN).compose(lib.interceptors.retry())],
    ['an Agent with a function that connects', () => new lib.Agent({ connect: lib.buildConnector(connect) })],
    [
      'an Agent with its own pools',
      () => new lib.Agent({ factory: (origin) => new lib.Pool(origin, { connect }) }),
    ],
    ['a MockAgent over a Pool', () => mock(lib, { agent: new lib.Pool(ORIGIN) })],
    [
      'a MockPool with a function that connects',
      () => mock(lib, { connect: lib.buildConnector({}) }).get(ORIGIN),
    ],
  ])('S9: the settings of %s are hidden', (_, make) => {
    expect(settingsOfDispatcher(make())).toBeUndefined();
  });
});

describe('of another kind', () => {
  it('S9: the settings of a subclass of Agent are shown, and its constructor is not called', () => {
    const agent = new OwnAgent({ connect });
    expect([acceptsAny(agent), OwnAgent.made]).toEqual([true, 1]);
  });

  it.each([
    ['text', 'text'],
    ['an object without options', {}],
    ['options that are no object', { [Symbol('options')]: 'text' }],
    ['a dispatcher of the application', { dispatch: () => false }],
    ['a mock of something else', { [Symbol('mock agent')]: {} }],
    ['a part that hides its settings', { [Symbol('options')]: {}, [Symbol('a')]: { dispatch: () => false } }],
    [
      'a constructor that throws',
      Object.create({ [Symbol('dispatch')]: 1, constructor: 1 }, { [Symbol('options')]: { value: {} } }),
    ],
  ])('S9: the settings of %s are hidden', (_, dispatcher) => {
    expect(settingsOfDispatcher(dispatcher)).toBeUndefined();
  });
});

/** As the class of undici 8 that passes requests on, by whatever name a bundler gives it. */
class PassingOn {
  static readonly wrapHandler = vi.fn<() => void>();

  dispatch(): boolean {
    return false;
  }
}

function putAt(place: symbol, dispatcher: unknown): void {
  const before: unknown = Reflect.get(globalThis, place);
  onTestFinished(() => void Reflect.set(globalThis, place, before));
  Reflect.set(globalThis, place, dispatcher);
}

describe('the dispatchers of the process', () => {
  const [first, second] = [1, 2].map((place) => Symbol.for(`undici.globalDispatcher.${place}`)) as [
    symbol,
    symbol,
  ];

  it.each<[string, unknown[], unknown[]]>([
    ['both', ['one', 'other'].map((name) => ({ name })), [{ name: 'one' }, { name: 'other' }]],
    ['none', [undefined, undefined], []],
    [
      'the one to which undici 8 passes requests on',
      [new PassingOn(), { name: 'other' }],
      [{ name: 'other' }],
    ],
    ['one without a prototype', [Object.create(null), undefined], [{}]],
  ])('S9: are %s', (_, [one, other], expected) => {
    putAt(first, one);
    putAt(second, other);
    expect(dispatchersOfProcess()).toEqual(expected);
  });
});
