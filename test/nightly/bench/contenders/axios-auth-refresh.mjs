import { create } from 'axios';
import { createAuthRefresh } from 'axios-auth-refresh';

/** As in its README: a request interceptor sets the token, and a function gets another token after a 401. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const tokens = create({ httpsAgent: agent });
  const api = create({ baseURL: apiUrl, httpsAgent: agent });
  let token = '';

  createAuthRefresh(api, async (failedRequest) => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
    });
    const { data } = await tokens.post(tokenUrl, form);
    token = data.access_token;
    failedRequest.response.config.headers['Authorization'] = `Bearer ${token}`;
  });
  api.interceptors.request.use((request) => {
    request.headers['Authorization'] = `Bearer ${token}`;
    return request;
  });
  return { call: (path) => api.get(path), close: async () => {} };
}
