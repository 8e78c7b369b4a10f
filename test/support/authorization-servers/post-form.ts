import type { Agent } from 'node:https';
import { callHttps } from '../http/https-call.js';

/** Sends a form to another endpoint of the server, without the client under test. */
export async function postForm(
  url: string,
  fields: Record<string, string>,
  agent: Agent,
): Promise<Record<string, unknown>> {
  const answer = await callHttps(url, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  });
  if (answer.status !== 200) throw new Error(`${url} answered with ${answer.status}: ${answer.text}`);
  return answer.text === '' ? {} : answer.json;
}
