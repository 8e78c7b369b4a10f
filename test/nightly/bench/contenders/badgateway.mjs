import { OAuth2Client, OAuth2Fetch } from '@badgateway/oauth2-client';

/** As in its README: a `fetch` that adds the token. It does not use axios. */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret }) {
  const client = new OAuth2Client({
    server: new URL(tokenUrl).origin,
    tokenEndpoint: tokenUrl,
    clientId,
    clientSecret,
    authenticationMethod: 'client_secret_post',
  });
  const wrapper = new OAuth2Fetch({ client, getNewToken: () => client.clientCredentials() });
  return {
    async call(path) {
      const response = await wrapper.fetch(apiUrl + path);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`status ${response.status}`);
    },
    close: async () => {},
  };
}
