import type { ClientAuth } from '../catalogue/catalogue.js';
import type { SecretSource } from '../secrets/secret-source.js';
import { fillForm, Given, membersOf, Rule } from './form.js';
import type { OptionsNode } from './options-node.js';
import { flawOfClientKey } from './rules/client-key-rules.js';
import { type Flaw, flawOfCredential, flawOfText, kindOf } from './rules/text-rules.js';
import { SecretFile } from './secret-sources/secret-file.js';
import {
  CLIENT_KEY,
  clientSecretOf,
  FixedSecret,
  SecretFunction,
  type SecretKind,
} from './secret-sources/secret-sources.js';

/** What a client authenticates with, in one environment. */
export interface CredentialReading {
  /** Undefined if something is wrong. */
  readonly source: SecretSource | undefined;
  readonly keyId: string | undefined;
  /** The name of the setting that holds the id. Undefined without a private key. */
  readonly keyIdName: string | undefined;
  readonly credential: 'secret' | 'key';
  /** The name of the setting that holds the secret or the key. */
  readonly name: string;
  readonly members: readonly string[];
}

class ClientSecretForm {
  readonly #provider: string;

  constructor(provider: string) {
    this.#provider = provider;
  }

  @Rule((value, form) => (form instanceof ClientSecretForm ? form.flawOf(value) : undefined))
  clientSecret: string | Given | undefined = undefined;

  flawOf(value: unknown): Flaw {
    return flawOfClientSecret(value, this.#provider);
  }
}

class ClientKeyForm {
  @Rule((value) => flawOfSource(value) ?? (isSource(value) ? undefined : flawOfClientKey(value)))
  clientKey: string | Given | undefined = undefined;

  @Rule((value) => (value === undefined ? undefined : flawOfText(value)))
  keyId: string | undefined = undefined;
}

/** Reads the client secret, or with `private_key_jwt` the private key and its id. */
export function readCredential(
  node: OptionsNode,
  provider: string,
  clientAuth: ClientAuth = 'post',
): CredentialReading {
  if (clientAuth === 'private_key_jwt') {
    const form = new ClientKeyForm();
    const isRight = fillForm(form, node);
    return {
      source: isRight ? sourceOf('clientKey', form.clientKey, node, CLIENT_KEY) : undefined,
      keyId: form.keyId,
      keyIdName: node.nameOf('keyId'),
      credential: 'key',
      name: node.nameOf('clientKey'),
      members: membersOf(ClientKeyForm),
    };
  }
  const form = new ClientSecretForm(provider);
  const isRight = fillForm(form, node);
  return {
    source: isRight ? sourceOf('clientSecret', form.clientSecret, node, clientSecretOf(provider)) : undefined,
    keyId: undefined,
    keyIdName: undefined,
    credential: 'secret',
    name: node.nameOf('clientSecret'),
    members: membersOf(ClientSecretForm),
  };
}

function flawOfClientSecret(value: unknown, provider: string): Flaw {
  if (isSource(value)) return flawOfSource(value);
  if (value !== undefined && typeof value !== 'string')
    return `must be a string, a Secret or a function that gives one, not ${kindOf(value)}.`;
  return flawOfCredential(value, 'Set it to the client secret of this environment.', provider);
}

/** A function is called for token requests only, so its values are checked later. */
function isSource(value: unknown): boolean {
  return typeof value === 'function' || value instanceof SecretFile;
}

function flawOfSource(value: unknown): Flaw {
  return value instanceof SecretFile ? value.flaw() : undefined;
}

function sourceOf(
  member: string,
  value: string | Given | undefined,
  node: OptionsNode,
  kind: SecretKind,
): SecretSource | undefined {
  const given = value instanceof Given ? value.open() : value;
  if (typeof given === 'function')
    return new SecretFunction(node.method(given), { path: node.pathOf(member), env: undefined }, kind);
  if (given instanceof SecretFile) return given;
  return given === undefined ? undefined : new FixedSecret(kind.textOf(given));
}
