import type { AnyPair } from '../../../lib/catalogue/catalogue.js';
import * as doctor from '../../../lib/cli/doctor.js';
import * as plan from '../../../lib/cli/plan.js';
import type { Settings } from '../../../lib/config/options/profile.js';
import * as variables from '../../../lib/config/process-env/read-variables.js';
import * as names from '../../../lib/config/process-env/variable-names.js';
import * as urls from '../../../lib/config/rules/url-rules.js';
import * as validation from '../../../lib/config/validate-options.js';
import { BUILT_IN } from '../../../lib/module/built-in.js';
import { injectionToken } from '../../../lib/module/parts.js';
import * as simulated from '../../../lib/testing/simulator/addresses.js';
import { ClientCheck } from '../../../lib/testing/simulator/client-check.js';
import * as client from '../../../lib/testing/simulator/client-options.js';
import type { ProviderEnvironment, ProviderInterface } from '../../../lib/catalogue/provider-catalogue.js';

/** What takes a catalogue, for the built-in provider: most tests are about that one. */

export const { catalogue: CATALOGUE } = BUILT_IN;
export const PROVIDER_INTERFACES = CATALOGUE.interfaces as readonly ProviderInterface[];
export const PROVIDER_PAIRS = CATALOGUE.pairs as readonly {
  readonly interface: ProviderInterface;
  readonly environment: ProviderEnvironment;
}[];
export const PROVIDER_AUTH_SETTINGS = injectionToken(CATALOGUE.name, 'SETTINGS');
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set(names.variablesOf(CATALOGUE));

type AfterCatalogue<Checked extends (catalogue: typeof CATALOGUE, ...rest: never[]) => unknown> =
  Checked extends (catalogue: typeof CATALOGUE, ...rest: infer Rest) => unknown ? Rest : never;

export const validateOptions = (
  ...rest: AfterCatalogue<typeof validation.validateOptions>
): Promise<Settings> => validation.validateOptions(CATALOGUE, ...rest);

export const readEnvironmentVariables = (read: NodeJS.ProcessEnv): variables.UncheckedOptions =>
  variables.readEnvironmentVariables(CATALOGUE, read);

export const validateCreated = (create: () => unknown): Promise<Settings> =>
  validation.validateCreated(CATALOGUE, create);

export const notConfigured = (pair: AnyPair, configured?: readonly AnyPair[]) =>
  names.notConfigured(CATALOGUE, pair, configured);

export const flawOfBaseUrl = (value: unknown) => urls.flawOfBaseUrl(value, CATALOGUE);

export const planChecks = (...rest: AfterCatalogue<typeof plan.planChecks>) =>
  plan.planChecks(CATALOGUE, ...rest);
export const examine = (
  read: NodeJS.ProcessEnv,
  examination: doctor.Examination,
  reporter?: Parameters<typeof doctor.examine>[3],
) => doctor.examine([CATALOGUE], read, examination, reporter);

/** The variables of a simulator at this origin. */
export function clientEnvironment(origin: string): Record<string, string> {
  const addresses = new simulated.Addresses(origin, CATALOGUE);
  const clients = new ClientCheck(CATALOGUE, addresses);
  const settings = { catalogue: CATALOGUE, addresses, clients, environment: 'sandbox' };
  return client.clientEnvironment(settings, { write: () => '' });
}
