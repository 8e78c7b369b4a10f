import type { ProviderFetch } from 'nestjs-provider-auth';

/** What the functions of orval take as their last argument. */
export interface SendOptions extends RequestInit {
  readonly fetch?: ProviderFetch;
  /** Whether `data` is the body as a stream. */
  readonly stream?: boolean;
}

/** The generated functions call this function in place of the global `fetch`. Paths are joined to the base URL of `fetch`. */
export async function send<Result>(
  path: string,
  { fetch, stream, ...init }: SendOptions = {},
): Promise<Result> {
  if (fetch === undefined) throw new TypeError('Pass { fetch } to each call.');
  const response = await fetch(path, init);
  const { status, headers } = response;
  return { status, headers, data: stream === true ? response.body : await contentOf(response) } as Result;
}

function contentOf(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return isJson ? response.json() : response.blob();
}
