import type { AxiosProxyConfig } from 'axios';
import { fillForm, membersOf, Rule } from './form.js';
import { WholeNumber } from './number-rules.js';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { type Flaw, flawOfText, kindOf } from './rules/text-rules.js';
import { ValidatorRule } from './validator.js';

const Protocol = (): PropertyDecorator =>
  ValidatorRule(({ IsIn }) =>
    IsIn(['http', 'https', 'http:', 'https:', undefined], { message: 'must be http or https.' }),
  );

class ProxyForm {
  @Rule(flawOfHost)
  host: string | undefined = undefined;

  @WholeNumber(1, 65_535)
  port: number | undefined = undefined;

  @Protocol()
  protocol: string | undefined = undefined;

  @Rule(() => undefined)
  auth: unknown = undefined;
}

class ProxyCredentialsForm {
  @Rule((value) => flawOfText(value))
  username: string | undefined = undefined;

  @Rule((value) => (value === '' ? undefined : flawOfText(value)))
  password: string | undefined = undefined;
}

/** Reads `http.proxy`: false, or a proxy in the form of axios. */
export function readProxy(http: OptionsNode): AxiosProxyConfig | false | undefined {
  const value = http.read('proxy');
  if (value === undefined || value === UNREADABLE) return undefined;
  if (value === false) return false;
  if (typeof value !== 'object' || value === null) {
    http.refuse('proxy', `must be false or an object with host and port, not ${kindOf(value)}.`);
    return undefined;
  }
  const node = http.child('proxy');
  if (node === undefined) return undefined;
  const form = new ProxyForm();
  const right = fillForm(form, node);
  node.refuseUnknown(membersOf(ProxyForm));
  const auth = readProxyCredentials(node);
  const { host, port, protocol } = form;
  if (!right || host === undefined || port === undefined) return undefined;
  return Object.freeze({
    host,
    port,
    ...(protocol === undefined ? {} : { protocol }),
    ...(auth === undefined ? {} : { auth }),
  });
}

function readProxyCredentials(proxy: OptionsNode): AxiosProxyConfig['auth'] {
  const node = proxy.child('auth');
  if (node === undefined) return undefined;
  const form = new ProxyCredentialsForm();
  const right = fillForm(form, node);
  node.refuseUnknown(membersOf(ProxyCredentialsForm));
  const { username, password } = form;
  if (!right || username === undefined || password === undefined) return undefined;
  return Object.freeze({ username, password });
}

/** A name or an IP address. A whole URL is a common mistake: it would be looked up as the name of a host. */
function flawOfHost(value: unknown): Flaw {
  const flaw = flawOfText(value);
  if (flaw !== undefined || typeof value !== 'string') return flaw;
  return /[\s/@\\?#]/.test(value)
    ? 'is not a host. Give the name or the address alone; protocol, port and auth are separate settings.'
    : undefined;
}
