import { OAuth2Client } from 'google-auth-library';

/**
 * This client has no client-credentials grant for other providers. Its README uses a `refreshHandler` for their tokens.
 * It renews five minutes before the end by default. That is longer than the tokens here live, so this time is set to 1 ms.
 */
export async function open({ tokenUrl, apiUrl, clientId, clientSecret, agent }) {
  const client = new OAuth2Client({
    forceRefreshOnFailure: true,
    eagerRefreshThresholdMillis: 1,
    transporterOptions: { agent },
  });
  client.refreshHandler = async () => {
    const { data } = await client.transporter.request({
      url: tokenUrl,
      method: 'POST',
      data: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }),
      retry: false,
    });
    return { access_token: data.access_token, expiry_date: Date.now() + data.expires_in * 1_000 };
  };
  return { call: (path) => client.request({ url: apiUrl + path }), close: async () => {} };
}
