/**
 * Revokes the token of an MCP client and makes 50 parallel tool calls: once with this module's `fetch`, once with the
 * client-credentials provider of the SDK itself.
 */
import { contenderVersions, installContenders } from './installed-contenders.mjs';
import { row } from './paired-slices.mjs';

const CALLS = 50;

installContenders();
const { byThisModule, bySdk, callTools } = await import('./contenders/mcp.mjs');
const WAYS = { '`fetch` of this module': byThisModule, 'its own provider': bySdk };

const sdk = `@modelcontextprotocol/sdk ${contenderVersions()['@modelcontextprotocol/sdk']}`;
console.log(row([`${CALLS} tool calls after a revocation, ${sdk}`, 'succeeded', 'token requests']));
console.log(row(['---', '---:', '---:']));
for (const [way, open] of Object.entries(WAYS)) {
  const runs = [];
  for (let run = 0; run < 6; run += 1) runs.push(await callTools(open, CALLS));
  const range = (name) => {
    const sorted = runs.map((figures) => figures[name]).toSorted((one, other) => one - other);
    return [...new Set([sorted[0], sorted.at(-1)])].join(' to ');
  };
  console.log(row([way, range('succeeded'), range('tokenRequests')]));
}
