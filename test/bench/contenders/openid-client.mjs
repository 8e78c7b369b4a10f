import { ClientSecretPost, clientCredentialsGrant, Configuration } from 'openid-client';
import { withCache } from './hand-written.mjs';

/** It has the grant and neither a cache nor an HTTP client: both are those of the hand-written one. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const configuration = new Configuration(server, clientId, {}, ClientSecretPost(clientSecret));
  return withCache({ apiUrl, agent }, () => clientCredentialsGrant(configuration));
}
