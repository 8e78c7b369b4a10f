import type { AxiosProxyConfig } from 'axios';
import type { Catalogue } from '../catalogue/catalogue.js';
import { trustAnyPrivateAuthority } from '../errors/remedies.js';
import {
  CERTIFICATE_SWITCH,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../net/certificate-checks.js';
import { isObject } from '../values/is-object.js';
import { readSettings, readTexts } from './read-rows.js';
import type { OptionsNode } from './options-node.js';
import type { HttpSettings } from './options/profile.js';
import { flawOfHeader } from './rules/http-rules.js';
import { kindOf } from './rules/text-rules.js';
import type { Place } from './table/setting.js';
import { SETTINGS } from './table/settings.js';
import { inspect } from 'node:util';

export function readHttpSettings(
  catalogue: Catalogue,
  root: OptionsNode,
  variables: NodeJS.ProcessEnv,
): HttpSettings {
  const node = root.section('http');
  const { values } = readSettings(node, SETTINGS.http, { catalogue });
  const { httpsAgent, transport } = values;
  const proxy = readProxy(node, { catalogue });
  const headers = readHeaders(node);
  // The variable does for the whole process what `rejectUnauthorized: false` does for one agent: credentials would be sent to
  // any server (S9). It has no effect on an agent with `rejectUnauthorized: true`.
  if (leavesCertificatesUnchecked(variables) && !insistsOnCertificates(node.read('httpsAgent')))
    root.problems.add({
      path: 'http.httpsAgent',
      env: CERTIFICATE_SWITCH,
      message: `turns off certificate checks for the whole process. Remove it. To trust a private authority, ${trustAnyPrivateAuthority(catalogue.name)}.`,
    });
  return closed(values, { httpsAgent, transport, proxy, headers });
}

/** Reads `http.proxy`: false, or a proxy in the form of axios. */
function readProxy(http: OptionsNode, place: Place): AxiosProxyConfig | false | undefined {
  const value = http.read('proxy');
  if (value === false) return false;
  const node = http.child(
    'proxy',
    isObject(value) ? undefined : `must be false or an object with host and port, not ${kindOf(value)}.`,
  );
  if (node === undefined) return undefined;
  const { host, port, protocol } = readSettings(node, SETTINGS.proxy, place).values;
  const credentials = node.child('auth');
  const given = credentials && readSettings(credentials, SETTINGS.proxyAuth, place).values;
  if (host === undefined || port === undefined) return undefined;
  const { username, password } = given ?? {};
  const auth = username !== undefined && password !== undefined && Object.freeze({ username, password });
  return Object.freeze({ host, port, ...(protocol && { protocol }), ...(auth && { auth }) });
}

function readHeaders(http: OptionsNode): Readonly<Record<string, string>> | undefined {
  const node = http.child('headers');
  if (node === undefined) return undefined;
  if (!node.isPlain && node.keys().length === 0) {
    // A Headers or a Map object has no members: its headers would be lost without an error.
    http.refuse(
      'headers',
      'must be a plain object of names and values. Turn it into one with Object.fromEntries().',
    );
    return undefined;
  }
  const names = node.keys().map((name) => name.toLowerCase());
  const again = node.keys().find((name, place) => names.indexOf(name.toLowerCase()) < place);
  // axios would send the last of them, and `fetch` the first.
  if (again !== undefined) node.refuse(again, 'is there twice, in another case. Keep one of them.');
  return readTexts(node, flawOfHeader);
}

type Shown = Pick<HttpSettings, 'timeoutMs' | 'retryUnauthorized' | 'maxRedirects'>;

/**
 * Nest's container keeps the settings, and code that prints the container prints them too. A proxy has a password, headers
 * contain API keys, and an agent has the key of a client certificate. So these members are getters of the prototype (S10). Each
 * of them is there, even without a value: otherwise a polluted prototype could give one (B36).
 */
function closed(
  { timeoutMs, retryUnauthorized, maxRedirects }: Shown,
  hidden: Omit<HttpSettings, keyof Shown>,
): HttpSettings {
  const shown = { timeoutMs, retryUnauthorized, maxRedirects };
  const getters = Object.entries(hidden).map(
    ([name, value]) => [name, { get: (): unknown => value }] as const,
  );
  const prototype: object = Object.defineProperties(
    // `inspect` calls getters if its option `getters` is set.
    { [inspect.custom]: () => shown },
    Object.fromEntries(getters),
  );
  return Object.freeze(Object.setPrototypeOf({ ...shown }, prototype) as HttpSettings);
}
