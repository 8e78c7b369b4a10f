import { IsBoolean } from 'class-validator';
import { fillForm, type Given, membersOf, opened, Rule } from './form.js';
import { flawOfAgent, flawOfTransport, insistsOnCertificates, isAgent, isTransport } from './http-rules.js';
import { readHeaders } from './headers-section.js';
import { LONGEST_TIMEOUT_MS, WholeNumber } from './number-rules.js';
import type { OptionsNode } from './options-node.js';
import type { HttpSettings } from './profile.js';
import { readProxy } from './proxy-section.js';

class HttpForm {
  @WholeNumber(1, LONGEST_TIMEOUT_MS, ' of milliseconds')
  timeoutMs = 30_000;

  @IsBoolean({ message: 'must be true or false.' })
  retryUnauthorized = true;

  @WholeNumber(0, 20)
  maxRedirects = 0;

  @Rule('httpsAgent', (value) => (value === undefined ? undefined : flawOfAgent(opened(value))))
  httpsAgent: Given | undefined = undefined;

  @Rule('transport', (value) => (value === undefined ? undefined : flawOfTransport(opened(value))))
  transport: Given | undefined = undefined;
}

/** `http`, with its defaults. */
export function readHttpSettings(root: OptionsNode, variables: NodeJS.ProcessEnv): HttpSettings {
  const form = new HttpForm();
  const node = root.child('http');
  if (node !== undefined) fillForm(form, node);
  node?.refuseUnknown([...membersOf(HttpForm), 'proxy', 'headers']);
  const proxy = node && readProxy(node);
  const headers = node && readHeaders(node);
  const { timeoutMs, retryUnauthorized, maxRedirects } = form;
  const [httpsAgent, transport] = [form.httpsAgent?.open(), form.transport?.open()];
  refuseUncheckedCertificates(root, httpsAgent, variables);
  return Object.freeze({
    timeoutMs,
    retryUnauthorized,
    maxRedirects,
    ...(isAgent(httpsAgent) ? { httpsAgent } : {}),
    ...(isTransport(transport) ? { transport } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    ...(headers === undefined ? {} : { headers }),
  });
}

/**
 * The variable does for the whole process what `rejectUnauthorized: false` does for one agent: credentials would go to
 * whoever answers (S9). An agent that insists on certificates is not moved by it.
 */
function refuseUncheckedCertificates(root: OptionsNode, agent: unknown, variables: NodeJS.ProcessEnv): void {
  if (variables[NO_CHECK] !== '0' || insistsOnCertificates(agent)) return;
  root.refuseVariable({
    path: 'http.httpsAgent',
    variable: NO_CHECK,
    message:
      'switches the checking of certificates off for the whole process. Remove it, and trust a private authority by http.httpsAgent or NODE_EXTRA_CA_CERTS.',
  });
}

const NO_CHECK = 'NODE_TLS_REJECT_UNAUTHORIZED';
