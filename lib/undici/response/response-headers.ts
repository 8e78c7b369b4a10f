import { AxiosHeaders } from 'axios';

/** Of these Node keeps the first; all others that come more than once are joined. */
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

/** What `AxiosHeaders` would store in another form, or under another name. */
// eslint-disable-next-line no-control-regex -- those are what it takes out
const NEEDS_CARE = /[\u0000-\u0008\u000a-\u001f\u007f]|^[\t ]|[\t ]$/;

type Received = Record<string, string | string[] | undefined>;

/**
 * The headers of an answer as Node's http and axios would have them. They arrive in lower case and each once, so they go
 * in without the search for another spelling that `AxiosHeaders.set` makes for each.
 */
export function responseHeaders(received: Received): AxiosHeaders {
  const headers = new AxiosHeaders();
  for (const name of Object.keys(received)) {
    const value = received[name];
    // No name of a header anywhere else: Node drops it too.
    if (value === undefined || name === '__proto__') continue;
    const joined = typeof value === 'string' && name !== 'set-cookie' ? value : joinedValue(name, value);
    if (typeof joined === 'string' && !NEEDS_CARE.test(joined)) headers[name] = joined;
    else headers.set(name, joined);
  }
  return headers;
}

function joinedValue(name: string, value: string | string[]): string | string[] {
  const values = Array.isArray(value) ? value : [value];
  if (name === 'set-cookie') return values;
  if (ONCE.has(name)) return values[0] ?? '';
  return values.join(name === 'cookie' ? '; ' : ', ');
}
