import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { onTestFinished } from 'vitest';

/** The requests that Node's own client makes to the host of this address from now on. Other specs may share the process. */
export function requestsTo(address: string): ClientRequest[] {
  const { host } = new URL(address);
  const requests: ClientRequest[] = [];
  const note = (message: unknown): void => {
    const { request } = message as { request: ClientRequest };
    if (request.getHeader('host') === host) requests.push(request);
  };
  subscribe('http.client.request.start', note);
  onTestFinished(() => void unsubscribe('http.client.request.start', note));
  return requests;
}

/** The agents of these requests. */
export function agentsOf(requests: readonly ClientRequest[]): unknown[] {
  return requests.map((request) => Reflect.get(request, 'agent'));
}
