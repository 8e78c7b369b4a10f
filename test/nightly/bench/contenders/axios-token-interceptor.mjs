import { create } from 'axios';
import { clientCredentials } from 'axios-oauth-client';
import tokenProvider from 'axios-token-interceptor';

/** Two packages, combined as in their READMEs: the grant of axios-oauth-client in the cache of axios-token-interceptor. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const api = create({ baseURL: apiUrl, httpsAgent: agent });
  const getToken = clientCredentials(create({ httpsAgent: agent }), tokenUrl, clientId, clientSecret);
  const cache = tokenProvider.tokenCache(() => getToken(), {
    getMaxAge: (body) => body.expires_in * 1_000,
  });
  api.interceptors.request.use(
    tokenProvider({ getToken: cache, headerFormatter: (body) => `Bearer ${body.access_token}` }),
  );
  return { call: (path) => api.get(path), close: async () => {} };
}
