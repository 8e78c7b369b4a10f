/**
 * Revokes the token of an MCP client and makes 50 parallel tool calls: once with this module's `fetch`, once with the
 * client-credentials provider of the SDK itself.
 */
import { contenderVersions, installContenders } from './installed-contenders.mjs';
import { row } from './paired-slices.mjs';

const CALLS = 50;
const RUNS = 6;

installContenders();
const { callTools } = await import('./contenders/mcp.mjs');

const sdk = `@modelcontextprotocol/sdk ${contenderVersions()['@modelcontextprotocol/sdk']}`;
console.log(row([`${CALLS} tool calls after a revocation, ${sdk}`, 'succeeded', 'token requests']));
console.log(row(['---', '---:', '---:']));
for (const way of ['fetch of this module', 'provider of the SDK']) {
  const runs = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await callTools(way, CALLS));
  const range = (name) => {
    const sorted = runs.map((figures) => figures[name]).toSorted((one, other) => one - other);
    return [...new Set([sorted[0], sorted.at(-1)])].join(' to ');
  };
  console.log(row([way, range('succeeded'), range('tokenRequests')]));
}
