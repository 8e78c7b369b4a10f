import { ClientSecretPost, clientCredentialsGrant, Configuration } from 'openid-client';
import { withCache } from './hand-written.mjs';

/** openid-client has the grant, but no cache and no HTTP client. Both come from the hand-written interceptor. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const configuration = new Configuration(server, clientId, {}, ClientSecretPost(clientSecret));
  return withCache({ apiUrl, agent }, () => clientCredentialsGrant(configuration));
}
