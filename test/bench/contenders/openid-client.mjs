import { create } from 'axios';
import { ClientSecretPost, clientCredentialsGrant, Configuration } from 'openid-client';

/** It has the grant and neither a cache nor an HTTP client: both are those of the hand-written one. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const server = { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
  const configuration = new Configuration(server, clientId, {}, ClientSecretPost(clientSecret));
  const api = create({ baseURL: apiUrl, httpsAgent: agent });
  let token;
  let expiresAt = 0;
  let pending;

  function fetchToken() {
    pending ??= clientCredentialsGrant(configuration)
      .then((answer) => {
        token = answer.access_token;
        expiresAt = Date.now() + answer.expires_in * 1_000;
        return token;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  }

  api.interceptors.request.use(async (config) => {
    const current = Date.now() < expiresAt ? token : await fetchToken();
    config.headers.set('Authorization', `Bearer ${current}`);
    return config;
  });
  api.interceptors.response.use(undefined, async (error) => {
    const { config, response } = error;
    if (response?.status !== 401 || config.retried) throw error;
    await fetchToken();
    return api.request({ ...config, retried: true });
  });
  return { call: (path) => api.get(path), close: async () => {} };
}
