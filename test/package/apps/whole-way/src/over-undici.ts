import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { contextTrial } from './context-trial.js';

/** Sends requests through undici's pools, and counts the requests that undici sent. */
export async function overUndici(provider: ProviderSimulator) {
  let sent = 0;
  const count = () => (sent += 1);
  subscribe('undici:client:sendHeaders', count);
  const report = await contextTrial(provider, provider.options({ http: { transport: undiciTransport() } }));
  unsubscribe('undici:client:sendHeaders', count);
  return { ...report, sentByUndici: sent };
}
