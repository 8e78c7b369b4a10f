import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { onTestFinished } from 'vitest';

/** The agents of the requests that Node's own client makes from now on. */
export function agentsInUse(): unknown[] {
  const agents: unknown[] = [];
  const note = (message: unknown): void => {
    agents.push((message as { request: ClientRequest & { agent: unknown } }).request.agent);
  };
  subscribe('http.client.request.start', note);
  onTestFinished(() => void unsubscribe('http.client.request.start', note));
  return agents;
}
