import { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { travel } from './journey.js';
import { Narrator } from './narrator.js';

const say = new Narrator();
const provider = await ProviderSimulator.start();
try {
  await travel(provider, say);
} finally {
  await provider.close();
}
process.exitCode = say.end();
