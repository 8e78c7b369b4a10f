import { readdirSync, readFileSync } from 'node:fs';

/** Where a polluted value leads. No request may arrive there. */
export interface Places {
  readonly evilUrl: string;
  readonly evilPort: number;
  readonly evilSocket: string;
}

/** What a polluted member is. A JSON text can bring data only, the others need code of the process. */
type Kind = 'data' | 'a function' | 'a getter that throws';

/** A member of `Object.prototype` that an attacker or a careless package has added. */
export interface Pollution {
  readonly name: string;
  readonly kind: Kind;
  readonly member: string;
  readonly descriptor: (places: Places) => PropertyDescriptor;
}

type Value = (places: Places) => unknown;

/** What a JSON text can bring. */
const DATA: Readonly<Record<string, Value>> = {
  _tokenIdentity: () => ({ account: 'evil' }),
  account: () => 'evil',
  adapter: () => 'fetch',
  agent: () => false,
  allowedSocketPaths: ({ evilSocket }) => [evilSocket],
  ALPNProtocols: () => ['evil/1'],
  auth: () => ({ username: 'evil', password: 'evil' }),
  Authorization: () => 'Basic ZXZpbDpldmls',
  authorization: () => 'Basic ZXZpbDpldmls',
  baseURL: ({ evilUrl }) => evilUrl,
  baseUrl: ({ evilUrl }) => evilUrl,
  beforeRedirect: () => 'evil',
  body: () => 'evil',
  ca: () => 'evil',
  cert: () => 'evil',
  checkServerIdentity: () => 'evil',
  ciphers: () => 'NULL',
  credentials: () => 'evil',
  data: () => ({ evil: true }),
  decompress: () => false,
  defaultPort: ({ evilPort }) => evilPort,
  dispatcher: () => ({}),
  env: () => ({ fetch: 'evil' }),
  family: () => 6,
  fetchOptions: () => ({ redirect: 'follow' }),
  headers: ({ evilPort }) => ({
    'X-Evil': 'evil',
    Authorization: 'Basic ZXZpbDpldmls',
    Host: `127.0.0.1:${evilPort}`,
  }),
  host: () => '127.0.0.9',
  hostname: () => '127.0.0.9',
  httpAgent: () => ({}),
  http2Options: ({ evilPort }) => ({ host: '127.0.0.1', port: evilPort }),
  httpsAgent: () => ({ options: { rejectUnauthorized: false } }),
  httpVersion: () => 2,
  insecureHTTPParser: () => true,
  joinDuplicateHeaders: () => true,
  key: () => 'evil',
  keyId: () => 'evil',
  localAddress: () => '127.0.0.9',
  lookup: () => 'evil',
  maxBodyLength: () => 0,
  maxContentLength: () => 0,
  maxHeaderSize: () => 1,
  maxRedirects: () => 7,
  method: () => 'DELETE',
  origin: ({ evilUrl }) => evilUrl,
  params: () => ({ evil: 'evil' }),
  paramsSerializer: () => ({ encode: 'evil' }),
  passphrase: () => 'evil',
  path: ({ evilSocket }) => evilSocket,
  pathname: () => '/evil',
  pfx: () => 'evil',
  port: ({ evilPort }) => evilPort,
  protocol: () => 'http:',
  proxy: ({ evilPort }) => ({ host: '127.0.0.1', port: evilPort, protocol: 'http' }),
  proxyEnv: ({ evilPort }) => ({ HTTPS_PROXY: `http://127.0.0.1:${evilPort}` }),
  query: () => ({ evil: 'evil' }),
  redirect: () => 'error',
  rejectUnauthorized: () => false,
  responseEncoding: () => 'hex',
  responseType: () => 'stream',
  scope: () => 'evil',
  search: () => '?evil',
  secureContext: () => ({}),
  servername: () => 'evil.example',
  session: () => 'evil',
  setHost: () => false,
  signal: () => ({ aborted: true }),
  socketPath: ({ evilSocket }) => evilSocket,
  socket: () => ({}),
  // oxlint-disable-next-line unicorn/no-thenable -- this is the attack
  then: () => 'evil',
  timeout: () => 1,
  tls: () => ({}),
  toJSON: () => 'evil',
  transformRequest: () => 'evil',
  transformResponse: () => 'evil',
  transitional: () => ({ silentJSONParsing: false }),
  transport: ({ evilSocket }) => ({ socketPath: evilSocket }),
  uniqueHeaders: () => ['evil'],
  upgrade: () => 'evil',
  url: ({ evilUrl }) => `${evilUrl}/evil`,
  validateStatus: () => 'evil',
};

const evilAnswer = { data: 'evil', status: 200, statusText: 'evil', headers: {}, config: {} };
const connectToEvil = ({ evilPort }: Places): (() => unknown) => {
  return () => process.getBuiltinModule('net').connect(evilPort, '127.0.0.1');
};

/** What only code of the process can bring. */
const FUNCTIONS: Readonly<Record<string, Value>> = {
  adapter: () => () => Promise.resolve(evilAnswer),
  beforeRedirect: () => (options: { hostname: string }) => void (options.hostname = '127.0.0.9'),
  checkServerIdentity: () => () => undefined,
  createConnection: connectToEvil,
  lookup: () => (_: string, __: unknown, done: (error: null, address: string, family: number) => void) =>
    done(null, '127.0.0.9', 4),
  paramsSerializer: () => () => 'evil',
  signal: () => AbortSignal.abort(),
  transformRequest: () => () => 'evil',
  transformResponse: () => () => 'evil',
  transport: (places) => ({ request: connectToEvil(places) }),
  validateStatus: () => () => false,
};

/** A getter that throws. Its setter lets code that writes the member work as before. */
function throwing(member: string): PropertyDescriptor {
  return {
    get() {
      throw new Error(`the getter of ${member} threw`);
    },
    set(value) {
      Object.defineProperty(this, member, { value, configurable: true, enumerable: true, writable: true });
    },
  };
}

const ofKind = (
  kind: Kind,
  members: readonly string[],
  descriptor: (member: string) => Pollution['descriptor'],
): Pollution[] =>
  members.map((member) => ({
    name: `${member} as ${kind}`,
    kind,
    member,
    descriptor: descriptor(member),
  }));

const valueIn =
  (values: Readonly<Record<string, Value>>) =>
  (member: string): Pollution['descriptor'] =>
  (places) => ({ value: values[member]?.(places) });

/** Not `signal` or `timeout`: Node reads them in its own callbacks, where no code can handle the error. */
const WITH_GETTERS = ['auth', 'decompress', 'headers', 'httpsAgent', 'lookup', 'method'];

export const POLLUTIONS: readonly Pollution[] = [
  ...ofKind('data', Object.keys(DATA), valueIn(DATA)),
  ...ofKind('a function', Object.keys(FUNCTIONS), valueIn(FUNCTIONS)),
  ...ofKind('a getter that throws', WITH_GETTERS, (member) => () => throwing(member)),
];

/** Every further member that some object on the way of a token request may lack, as its type says. */
const OPTIONAL = /^ +(?:declare )?(?:readonly )?(\w+)\?:/gm;

const optionalMembers = (): string[] => {
  const files = ['token', 'config', 'secrets', 'errors', 'catalogue', 'events'].flatMap((folder) =>
    readdirSync(`lib/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`lib/${folder}/${file}`, 'utf8')),
  );
  const members = files.flatMap((text) => [...text.matchAll(OPTIONAL)].map(([, member = '']) => member));
  return [...new Set(members)].filter((member) => !POLLUTIONS.some((other) => other.member === member));
};

export const pollutionsOfOptionalMembers = (): readonly Pollution[] =>
  ofKind('data', optionalMembers(), () => () => ({ value: 'evil' }));

export function pollute({ member, descriptor }: Pollution, places: Places): () => void {
  return addToPrototype(member, descriptor(places));
}

/** Adds a member to `Object.prototype`, and returns a function that removes the member. */
export function addToPrototype(member: string, descriptor: PropertyDescriptor): () => void {
  // Without a prototype: the descriptors of other code would inherit the member too.
  const own = Object.assign(Object.create(null) as PropertyDescriptor, descriptor);
  Object.assign(own, { configurable: true, enumerable: true }, 'value' in own && { writable: true });
  // eslint-disable-next-line no-extend-native -- this is the attack
  Object.defineProperty(Object.prototype, member, own);
  return () => void Reflect.deleteProperty(Object.prototype, member);
}
