import { AxiosHeaders } from 'axios';
import { addReceived } from '../../wire/received-response.js';

/** If one of these headers arrives more than once, Node keeps the first. Node joins all other headers. */
const ONCE = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
]);

type Received = Record<string, string | string[] | undefined>;

/** The headers of a response, with the values that Node's http and axios give. undici gives each name once, in lower case. */
export function responseHeaders(received: Received): AxiosHeaders {
  const headers = new AxiosHeaders();
  for (const name of Object.keys(received)) {
    const value = received[name];
    // Node drops a header of this name too.
    if (value === undefined || name === '__proto__') continue;
    const isOne = typeof value === 'string' && name !== 'set-cookie';
    addReceived(headers, name, isOne ? value : joinedValue(name, value));
  }
  return headers;
}

function joinedValue(name: string, value: string | string[]): string | string[] {
  const values = Array.isArray(value) ? value : [value];
  if (name === 'set-cookie') return values;
  if (ONCE.has(name)) return values[0] ?? '';
  return values.join(name === 'cookie' ? '; ' : ', ');
}
