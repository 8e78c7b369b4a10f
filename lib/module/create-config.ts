import { registerAs } from '@nestjs/config';
import type { Catalogue } from '../catalogue/catalogue.js';
import { readEnvironmentVariables } from '../config/process-env/read-variables.js';

/**
 * The options of a provider from environment variables, for `ConfigModule` and `forRootAsync`.
 *
 * ConfigModule keeps these options, and ConfigService returns them. So they contain no readable credential: client ids and
 * secrets are `Secret` objects, and the names of files are hidden.
 */
export function createConfig<Options extends object>(catalogue: Catalogue) {
  return registerAs(
    `${catalogue.name}Auth`,
    // The public type, so that an application can spread and override the options. The module validates them at boot.
    () => readEnvironmentVariables(catalogue, process.env) as object as Options,
  );
}
