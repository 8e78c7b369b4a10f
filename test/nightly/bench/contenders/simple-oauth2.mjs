import { create } from 'axios';
import { ClientCredentials } from 'simple-oauth2';

/** As in its README: keep the token, ask `expired()`, get a new token. It has no HTTP client, so the interceptors are ours. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const { origin, pathname } = new URL(tokenUrl);
  const client = new ClientCredentials({
    client: { id: clientId, secret: clientSecret },
    auth: { tokenHost: origin, tokenPath: pathname },
    options: { authorizationMethod: 'body' },
  });
  const api = create({ baseURL: apiUrl, httpsAgent: agent });
  let token;

  api.interceptors.request.use(async (config) => {
    if (token === undefined || token.expired()) token = await client.getToken({});
    config.headers.set('Authorization', `Bearer ${token.token.access_token}`);
    return config;
  });
  api.interceptors.response.use(undefined, async (error) => {
    const { config, response } = error;
    if (response?.status !== 401 || config.retried) throw error;
    token = await client.getToken({});
    return api.request({ ...config, retried: true });
  });
  return { call: (path) => api.get(path), close: async () => {} };
}
