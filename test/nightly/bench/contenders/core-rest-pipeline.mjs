import {
  bearerTokenAuthenticationPolicy,
  createDefaultHttpClient,
  createEmptyPipeline,
  createPipelineRequest,
} from '@azure/core-rest-pipeline';

/** The pipeline with nothing but its token policy: its fastest form. It gets an agent with keep-alive, as axios does. */
export function restPipeline({ agent, token, url }) {
  const credential = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
  const pipeline = createEmptyPipeline();
  pipeline.addPolicy(bearerTokenAuthenticationPolicy({ credential, scopes: ['bench'] }));
  const client = createDefaultHttpClient();
  return async () => {
    const response = await pipeline.sendRequest(client, createPipelineRequest({ url, agent }));
    return JSON.parse(response.bodyAsText);
  };
}
