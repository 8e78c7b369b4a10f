import { readdirSync, readFileSync } from 'node:fs';

/** Where a polluted value leads. No request may arrive there. */
export interface Places {
  readonly evilUrl: string;
  readonly evilPort: number;
  readonly evilSocket: string;
}

type Value = (places: Places) => unknown;

/** Members whose values would change something if any code took them for its own. */
const LEADING: Readonly<Record<string, Value>> = {
  _tokenIdentity: () => ({ account: 'evil' }),
  adapter: () => 'fetch',
  agent: () => false,
  allowedSocketPaths: ({ evilSocket }) => [evilSocket],
  ALPNProtocols: () => ['evil/1'],
  auth: () => ({ username: 'evil', password: 'evil' }),
  Authorization: () => 'Basic ZXZpbDpldmls',
  authorization: () => 'Basic ZXZpbDpldmls',
  baseURL: ({ evilUrl }) => evilUrl,
  baseUrl: ({ evilUrl }) => evilUrl,
  checkServerIdentity: () => () => undefined,
  ciphers: () => 'NULL',
  createConnection: connectToEvil,
  data: () => ({ evil: true }),
  decompress: () => false,
  defaultPort: ({ evilPort }) => evilPort,
  env: () => ({ fetch: 'evil' }),
  family: () => 6,
  fetchOptions: () => ({ redirect: 'follow' }),
  headers: () => ({ 'X-Evil': 'evil', Authorization: 'Basic ZXZpbDpldmls', Host: 'evil.example' }),
  host: () => '127.0.0.9',
  hostname: () => '127.0.0.9',
  httpsAgent: () => ({ options: { rejectUnauthorized: false } }),
  localAddress: () => '127.0.0.9',
  lookup: () => (_: string, __: unknown, done: (error: null, address: string, family: number) => void) =>
    done(null, '127.0.0.9', 4),
  maxContentLength: () => 0,
  maxRedirects: () => 7,
  method: () => 'DELETE',
  origin: ({ evilUrl }) => evilUrl,
  params: () => ({ evil: 'evil' }),
  path: ({ evilSocket }) => evilSocket,
  pathname: () => '/evil',
  port: ({ evilPort }) => evilPort,
  protocol: () => 'http:',
  proxy: ({ evilPort }) => ({ host: '127.0.0.1', port: evilPort, protocol: 'http' }),
  proxyEnv: ({ evilPort }) => ({ HTTPS_PROXY: `http://127.0.0.1:${evilPort}` }),
  query: () => ({ evil: 'evil' }),
  rejectUnauthorized: () => false,
  responseType: () => 'stream',
  search: () => '?evil',
  secureContext: () => ({}),
  servername: () => 'evil.example',
  setHost: () => false,
  signal: () => ({ aborted: true }),
  socketPath: ({ evilSocket }) => evilSocket,
  timeout: () => 1,
  tls: () => ({}),
  transport: (places) => ({ request: connectToEvil(places), socketPath: places.evilSocket }),
  uniqueHeaders: () => ['evil'],
  url: ({ evilUrl }) => `${evilUrl}/evil`,
};

/** Other members that Node, axios or undici reads, and every one that an object of the module may lack, as its type says. */
const READ =
  'account body ca cert credentials dispatcher httpAgent insecureHTTPParser joinDuplicateHeaders key keyId ' +
  'maxBodyLength paramsSerializer passphrase pfx redirect responseEncoding session socket then toJSON ' +
  'transformRequest transformResponse transitional upgrade validateStatus';
const OPTIONAL = /^ +(?:declare )?(?:readonly )?(\w+)\?:/gm;

function connectToEvil({ evilPort }: Places): () => unknown {
  return () => process.getBuiltinModule('net').connect(evilPort, '127.0.0.1');
}

/** A member of `Object.prototype` that an attacker or a careless package has added, and its value. */
export function pollutions(): ReadonlyMap<string, Value> {
  const folders = 'catalogue config errors events http net secrets token undici wire'.split(' ');
  const files = folders.flatMap((folder) =>
    readdirSync(`lib/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => readFileSync(`lib/${folder}/${file}`, 'utf8')),
  );
  const optional = files.flatMap((text) => [...text.matchAll(OPTIONAL)].map(([, member = '']) => member));
  const others = [...READ.split(' '), ...optional].map((member) => [member, () => 'evil'] as const);
  return new Map<string, Value>([...others, ...Object.entries(LEADING)]);
}

/** Adds a member to `Object.prototype`, and returns a function that removes the member. */
export function addToPrototype(member: string, { value }: PropertyDescriptor): () => void {
  const descriptor = { value, configurable: true, enumerable: true, writable: true };
  // The descriptors of other code would inherit the member too.
  Object.setPrototypeOf(descriptor, null);
  // eslint-disable-next-line no-extend-native -- this is the attack
  Object.defineProperty(Object.prototype, member, descriptor);
  return () => void Reflect.deleteProperty(Object.prototype, member);
}
