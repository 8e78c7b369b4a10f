import type { Catalogue } from '../catalogue/catalogue.js';
import { Rule } from './form.js';
import { type Flaw, flawOfCredential } from './rules/text-rules.js';
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

  flawOfClientId(value: unknown): Flaw {
    return flawOfCredential(value, 'Set it to the client id of this environment.', this.#catalogue.name);
  }
}

const TokenUrl = (): PropertyDecorator =>
  Rule((value, form) => (form instanceof ProfileForm ? form.flawOfTokenUrl(value) : undefined));
const BaseUrl = (): PropertyDecorator =>
  Rule((value, form) => (form instanceof ProfileForm ? form.flawOfBaseUrl(value) : undefined));
const ClientId = (): PropertyDecorator =>
  Rule((value, form) => (form instanceof ProfileForm ? form.flawOfClientId(value) : undefined));

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
}

/** One environment of an interface where each environment has a token URL. */
export class EnvironmentWithTokenUrlForm extends EnvironmentForm {
  @TokenUrl()
  tokenUrl: string | undefined = undefined;
}
