import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { z } from 'zod';

/** Makes the API of the simulator an MCP server with one tool. The simulator refuses invalid tokens itself. */
export async function serveTool(api: ProviderSimulator<string, string>['api'], enableJsonResponse: boolean) {
  const server = new McpServer({ name: 'tools', version: '1.0.0' });
  server.registerTool('double', { inputSchema: { number: z.number() } }, ({ number }) => ({
    content: [{ type: 'text', text: String(2 * number) }],
  }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse,
  });
  // The types of the SDK do not agree with `exactOptionalPropertyTypes`.
  await server.connect(transport as Parameters<typeof server.connect>[0]);
  api.handler((request, response, { body }) => {
    const parsed: unknown = body.length === 0 ? undefined : JSON.parse(body.toString());
    void transport.handleRequest(request, response, parsed);
  });
  return server;
}
