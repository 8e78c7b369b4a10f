import type { AxiosRequestConfig } from 'axios';
import { Agent, fetch, Request, Response } from 'undici';
import { onTestFinished } from 'vitest';

/** axios' fetch adapter with a trusted authority: Node's own `fetch` reads its authorities only when the process starts. */
export function fetchTrusting(ca: string): AxiosRequestConfig {
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(() => dispatcher.destroy());
  const trusting = ((input: string, init: object) => fetch(input, { ...init, dispatcher })) as never;
  return {
    adapter: 'fetch',
    env: { fetch: trusting, Request: Request as never, Response: Response as never },
  };
}
