import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { NestFactory } from '@nestjs/core';
import { randomUUID } from 'node:crypto';
import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { library } from '../library.mjs';

const { defineProvider } = await library('esm/index.js');
const { ProviderSimulator } = await library('esm/testing/index.js');

const tools = defineProvider({
  name: 'tools',
  environments: ['live'],
  interfaces: { mcp: {} },
});

/** How many of the calls succeed after a revocation, and how many token requests they cost. */
export async function callTools(open, calls) {
  const simulator = await ProviderSimulator.start({ provider: tools });
  const server = await serveTool(simulator.api);
  const { transport, close } = await open(simulator);
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(transport);
  const call = (number) => client.callTool({ name: 'double', arguments: { number } });
  await call(0);
  const before = simulator.tokenRequests.length;
  simulator.token.revokeAll();
  const results = await Promise.allSettled(Array.from({ length: calls }, (_, number) => call(number)));
  const succeeded = results.filter(({ status }) => status === 'fulfilled').length;
  const tokenRequests = simulator.tokenRequests.length - before;
  await client.close();
  await close();
  await server.close();
  await simulator.close();
  return { succeeded, tokenRequests };
}

export async function byThisModule(simulator) {
  const auth = tools.Module.forRoot(simulator.options());
  const application = await NestFactory.createApplicationContext(auth, { logger: false });
  const send = application.get(tools.fetchToken('mcp'));
  const transport = new StreamableHTTPClientTransport(new URL(send.baseUrl), { fetch: send });
  return { transport, close: () => application.close() };
}

export async function bySdk(simulator) {
  const names = ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', 'CLIENT_SECRET'];
  const variables = simulator.env();
  const [tokenUrl, baseUrl, clientId, clientSecret] = names.map(
    (name) => variables[`TOOLS_MCP_LIVE_${name}`],
  );
  // Without a document about the resource, the SDK looks for its authorization server at the same origin.
  const issuer = new URL(baseUrl).origin;
  const discovered = {
    issuer,
    token_endpoint: tokenUrl,
    authorization_endpoint: `${issuer}/authorize`,
    response_types_supported: ['code'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
  const dispatcher = new Agent({ connect: { ca: simulator.ca } });
  const send = async (url, init) => {
    if (String(url).includes('/.well-known/oauth-protected-resource'))
      return new Response(null, { status: 404 });
    if (String(url).includes('/.well-known/')) return Response.json(discovered);
    const { body, status, headers } = await fetch(url, { ...init, dispatcher });
    // The SDK wants a `Response` of Node.
    return new Response(body, { status, headers: [...headers] });
  };
  const authProvider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: issuer });
  const transport = new StreamableHTTPClientTransport(new URL(baseUrl), { authProvider, fetch: send });
  return { transport, close: () => dispatcher.close() };
}

/** Makes the API of the simulator an MCP server with one tool. */
async function serveTool(api) {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  server.registerTool('double', { inputSchema: { number: z.number() } }, ({ number }) => ({
    content: [{ type: 'text', text: String(2 * number) }],
  }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await server.connect(transport);
  api.handler((request, response, { body }) => {
    void transport.handleRequest(request, response, body.length === 0 ? undefined : JSON.parse(String(body)));
  });
  return server;
}
