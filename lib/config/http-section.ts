import type { Catalogue } from '../catalogue/catalogue.js';
import { trustAnyPrivateAuthority } from '../errors/remedies.js';
import {
  CERTIFICATE_SWITCH,
  insistsOnCertificates,
  leavesCertificatesUnchecked,
} from '../net/certificate-checks.js';
import { fillForm, Given, membersOf, Rule } from './form.js';
import { flawOfAgent, flawOfTransport, isAgent, isTransport } from './rules/http-rules.js';
import { readHeaders } from './headers-section.js';
import { LONGEST_TIMEOUT_MS, WholeNumber } from './number-rules.js';
import type { OptionsNode } from './options-node.js';
import { ClosedHttpSettings } from './closed-http-settings.js';
import type { HttpSettings } from './options/profile.js';
import { readProxy } from './proxy-section.js';
import { ValidatorRule } from './validator.js';

class HttpForm {
  @WholeNumber(1, LONGEST_TIMEOUT_MS, ' of milliseconds')
  timeoutMs = 30_000;

  @ValidatorRule(({ IsBoolean }) => IsBoolean({ message: 'must be true or false.' }))
  retryUnauthorized = true;

  @WholeNumber(0, 20)
  maxRedirects = 0;

  @Rule((value) => (value === undefined ? undefined : flawOfAgent(value)))
  httpsAgent: Given | undefined = undefined;

  @Rule((value) => (value === undefined ? undefined : flawOfTransport(value)))
  transport: Given | undefined = undefined;
}

/** Reads `http` and fills in its defaults. */
export function readHttpSettings(
  catalogue: Catalogue,
  root: OptionsNode,
  variables: NodeJS.ProcessEnv,
): HttpSettings {
  const form = new HttpForm();
  const node = root.child('http');
  if (node !== undefined) fillForm(form, node);
  node?.refuseUnknown([...membersOf(HttpForm), 'proxy', 'headers']);
  const proxy = node && readProxy(node);
  const headers = node && readHeaders(node);
  const [httpsAgent, transport] = [form.httpsAgent, form.transport].map((given) =>
    given instanceof Given ? given.open() : undefined,
  );
  refuseUncheckedCertificates(catalogue, root, httpsAgent, variables);
  return new ClosedHttpSettings(form, {
    httpsAgent: isAgent(httpsAgent) ? httpsAgent : undefined,
    transport: isTransport(transport) ? transport : undefined,
    proxy,
    headers,
  });
}

/**
 * The variable does for the whole process what `rejectUnauthorized: false` does for one agent: credentials would be sent to
 * any server (S9). It has no effect on an agent with `rejectUnauthorized: true`.
 */
function refuseUncheckedCertificates(
  catalogue: Catalogue,
  root: OptionsNode,
  agent: unknown,
  variables: NodeJS.ProcessEnv,
): void {
  if (!leavesCertificatesUnchecked(variables) || insistsOnCertificates(agent)) return;
  root.refuseVariable({
    path: 'http.httpsAgent',
    variable: CERTIFICATE_SWITCH,
    message: `switches the checking of certificates off for the whole process. Remove it. To trust a private authority, ${trustAnyPrivateAuthority(catalogue.name)}.`,
  });
}
