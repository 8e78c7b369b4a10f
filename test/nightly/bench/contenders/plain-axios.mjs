import { create } from 'axios';

/** Plain axios with a token that never expires. It is the baseline. */
export async function open({ apiUrl, agent, standingToken }) {
  const headers = { Authorization: `Bearer ${standingToken}` };
  const api = create({ baseURL: apiUrl, httpsAgent: agent, headers });
  return { call: (path) => api.get(path), close: async () => {} };
}
