import { readDefinition } from '../../../lib/config/read-definition.js';
import { ProviderHttpService } from '../../../lib/http/provider-http.service.js';
import type { ProviderParts } from '../../../lib/module/parts.js';
import { ProviderService } from '../../../lib/module/provider-service.js';

/**
 * The parts of a provider with two interfaces and two environments. Each call makes another definition. Tests of the module
 * itself use it in place of `defineProvider`, which makes more than they are about.
 */
export function depotParts(name = 'depot', ...interfaces: string[]): ProviderParts {
  const names = interfaces.length > 0 ? interfaces : ['stock', 'bankOrders'];
  return {
    catalogue: readDefinition({
      name,
      environments: ['test', 'live'],
      interfaces: Object.fromEntries(names.map((one) => [one, {}])),
    }),
    moduleName: `${name}.Module`,
    Service: class extends ProviderService {},
    httpServices: { stock: class extends ProviderHttpService {} },
  };
}

/** Credentials of one environment of `stock`. */
function stockIn(environment: string): object {
  return {
    tokenUrl: `https://login.${environment}.example/token`,
    baseUrl: `https://stock.${environment}.example/v1`,
    clientId: `client-of-stock-${environment}`,
    clientSecret: `secret-of-stock-${environment}`,
  };
}

/** Options with both environments of `stock`. `bankOrders` is not configured. */
export function depotOptions(further: object = {}): object {
  const stock = { test: stockIn('test'), live: stockIn('live') };
  return { environment: 'test', interfaces: { stock }, ...further };
}
