import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { serveTool } from './server.js';
import { AppModule, Tools, tools } from './tools.js';

/** Reports what 50 parallel calls with a revoked token cost. */
const provider = await ProviderSimulator.start({ provider: tools });
const server = await serveTool(provider.api, process.argv[2] === 'json');
writeFileSync('ca.pem', provider.ca);
Object.assign(process.env, provider.env(), { TOOLS_MCP_LIVE_CA_FILE: 'ca.pem' });

const app = await NestFactory.create(AppModule, { logger: false, abortOnError: false });
await app.init();
const client = app.get(Tools);
await client.call('double', { number: 0 });
const [before, revoked] = [provider.tokenRequests.length, provider.token.revokeAll()];
const numbers = Array.from({ length: 50 }, (_, index) => index);
const results = await Promise.allSettled(numbers.map((number) => client.call('double', { number })));
const isDoubled = ({ status, ...rest }: PromiseSettledResult<unknown>, index: number) =>
  status === 'fulfilled' && JSON.stringify(rest).includes(`"text":"${2 * index}"`);
console.log(
  JSON.stringify({
    revoked,
    succeeded: results.filter(isDoubled).length,
    tokenRequests: provider.tokenRequests.length - before,
    variables: Object.keys(provider.env()),
    reasons: results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : [])),
  }),
);
await app.close();
await server.close();
await provider.close();
