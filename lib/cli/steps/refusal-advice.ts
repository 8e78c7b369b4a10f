import type { ProviderPair } from '../../catalogue/provider-catalogue.js';
import { settingsOf } from '../../config/environment-variables.js';

const NO_SUCH_PLACE = new Set([404, 405, 410]);

/** What to look at, by name, when the endpoint refuses; undefined where there is nothing better to say than the error does. */
export function refusalAdvice(
  pair: ProviderPair,
  status: number | undefined,
  oauthError: string | undefined,
): string | undefined {
  if (status === undefined || status < 400 || status >= 500) return undefined;
  if (NO_SUCH_PLACE.has(status) && oauthError !== 'invalid_client')
    return `No token endpoint is there. Compare the path in ${variable(pair, 'tokenUrl')} with the address that the provider gave you.`;
  if (oauthError === 'invalid_client' || (status === 401 && oauthError === undefined))
    return `Check ${variable(pair, 'clientId')} and ${variable(pair, 'clientSecret')}: both must be those of ${pair.interface} ${pair.environment}, and the secret the newest one.`;
  if (oauthError === 'unauthorized_client' || status === 403)
    return 'The endpoint knows no right of these credentials to ask for a token. Ask your account representative to grant client_credentials.';
  return undefined;
}

function variable(pair: ProviderPair, member: string): string {
  return settingsOf(pair).find((setting) => setting.member === member)?.variable ?? member;
}
