import { create } from 'axios';

/** No token at all: what everything is compared with. */
export async function open({ apiUrl, agent, standingToken }) {
  const headers = { Authorization: `Bearer ${standingToken}` };
  const api = create({ baseURL: apiUrl, httpsAgent: agent, headers });
  return { call: (path) => api.get(path), close: async () => {} };
}
