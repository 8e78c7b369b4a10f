import { inspect } from 'node:util';
import { trustAnyPrivateAuthority } from '../errors/troubles.js';
import {
  CERTIFICATE_SWITCH,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../net/certificate-checks.js';
import type { HttpSettings } from './options/profile.js';
import type { HttpOptions } from './options/provider-auth-options.js';
import { flawOfHeader } from './rules/http-rules.js';
import { readTexts } from './setting.js';
import type { Validation } from './validation.js';

export function readHttpSettings(validation: Validation, given: HttpOptions): HttpSettings {
  const headers = given.headers && readHeaders(validation, given.headers);
  // The variable does for the whole process what `rejectUnauthorized: false` does for one agent: credentials would be sent to
  // any server (S9). It has no effect on an agent with `rejectUnauthorized: true`.
  const { variables = process.env } = validation.surroundings;
  if (leavesCertificatesUnchecked(variables) && !insistsOnCertificates(given.httpsAgent))
    validation.add({
      path: 'http.httpsAgent',
      env: CERTIFICATE_SWITCH,
      message: `turns off certificate checks for the whole process. Remove it. To trust a private authority, ${trustAnyPrivateAuthority(validation.catalogue.name)}.`,
    });
  const { httpsAgent, transport } = given;
  if (httpsAgent && transport)
    validation.report(
      'http.httpsAgent',
      'is not used by http.transport. Remove it. Set certificates in tls of each environment, and a proxy in http.proxy.',
    );
  return closed({ ...Object.fromEntries(Object.entries(given)), headers } as HttpSettings);
}

function readHeaders({ report }: Validation, given: object): Readonly<Record<string, string>> {
  const path = 'http.headers';
  const names = Object.keys(given).map((name) => name.toLowerCase());
  const again = Object.keys(given).find((name, place) => names.indexOf(name.toLowerCase()) < place);
  // axios would send the last of them, and `fetch` the first.
  if (again !== undefined) report(`${path}.${again}`, 'is there twice, in another case. Keep one of them.');
  return readTexts(given, flawOfHeader, { path, report });
}

/**
 * Nest's container keeps the settings, and code that prints the container prints them too. A proxy has a password, headers
 * contain API keys, and an agent has the key of a client certificate. So all but numbers and choices are getters of the prototype
 * (S10). Each of them is there, even without a value: otherwise a polluted prototype could give one.
 */
function closed(settings: HttpSettings): HttpSettings {
  const all = Object.entries(settings);
  const shown = Object.fromEntries(all.filter(([, value]) => /number|boolean/.test(typeof value)));
  const getters = all.map(([name, value]) => [name, { get: (): unknown => value }] as const);
  const prototype: object = Object.defineProperties(
    // `inspect` calls getters if its option `getters` is set.
    { [inspect.custom]: () => shown },
    Object.fromEntries(getters),
  );
  return Object.freeze(Object.setPrototypeOf({ ...shown }, prototype) as HttpSettings);
}
