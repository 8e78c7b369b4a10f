import type { Catalogue } from '../catalogue/catalogue.js';
import { type Given, Rule } from './form.js';
import { SecretFile } from './secret-sources/secret-file.js';
import { type Flaw, flawOfCredential, kindOf } from './rules/text-rules.js';
import { flawOfBaseUrl, flawOfTokenUrl } from './rules/url-rules.js';

abstract class ProfileForm {
  readonly #interface: string;
  readonly #catalogue: Catalogue;

  constructor(of: string, catalogue: Catalogue) {
    this.#interface = of;
    this.#catalogue = catalogue;
  }

  flawOfTokenUrl(value: unknown): Flaw {
    return flawOfTokenUrl(value, this.#interface, this.#catalogue);
  }

  flawOfBaseUrl(value: unknown): Flaw {
    return flawOfBaseUrl(value, this.#catalogue);
  }
}

const TokenUrl = (): PropertyDecorator =>
  Rule((value, form) => (form instanceof ProfileForm ? form.flawOfTokenUrl(value) : undefined));
const BaseUrl = (): PropertyDecorator =>
  Rule((value, form) => (form instanceof ProfileForm ? form.flawOfBaseUrl(value) : undefined));
const ClientId = (): PropertyDecorator =>
  Rule((value) => flawOfCredential(value, 'Set it to the client id of this environment.'));
const ClientSecret = (): PropertyDecorator => Rule(flawOfClientSecret);

/** The token URL that all environments of an interface share (S4). */
export class SharedTokenUrlForm extends ProfileForm {
  @TokenUrl()
  tokenUrl: string | undefined = undefined;
}

/** One environment of an interface with a shared token URL. */
export class EnvironmentForm extends ProfileForm {
  @BaseUrl()
  baseUrl: string | undefined = undefined;

  @ClientId()
  clientId: string | undefined = undefined;

  @ClientSecret()
  clientSecret: string | Given | undefined = undefined;
}

/** One environment of an interface where each environment has a token URL. */
export class EnvironmentWithTokenUrlForm extends EnvironmentForm {
  @TokenUrl()
  tokenUrl: string | undefined = undefined;
}

function flawOfClientSecret(value: unknown): Flaw {
  if (typeof value === 'function') return undefined;
  if (value instanceof SecretFile) return value.flaw();
  if (value !== undefined && typeof value !== 'string')
    return `must be a string, a Secret or a function that gives one, not ${kindOf(value)}.`;
  return flawOfCredential(value, 'Set it to the client secret of this environment.');
}
