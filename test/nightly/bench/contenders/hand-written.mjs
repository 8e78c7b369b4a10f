import { create } from 'axios';

export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const tokens = create({ httpsAgent: agent });
  return withCache({ apiUrl, agent }, async () => {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    return (await tokens.post(tokenUrl, new URLSearchParams(form))).data;
  });
}

/** A careful hand-written interceptor: a cache that expires, one shared promise, and one resend after a 401. */
export function withCache({ apiUrl, agent }, grant) {
  const api = create({ baseURL: apiUrl, httpsAgent: agent });
  let token;
  let expiresAt = 0;
  let pending;

  function fetchToken() {
    pending ??= grant()
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
