import { whole } from '../markdown.js';
import { type ContenderFigures, countedOnce } from './contenders.js';
import { type RequestFigures, ratioAt } from './requests.js';

/** The three numbers that a reader of the README and of the front page sees first. */
export function frontNumbers({ many, clients }: ContenderFigures, requests: RequestFigures): string {
  const [ours, ...others] = countedOnce(clients);
  const inOutage = others.flatMap(({ outageRequests }) => outageRequests ?? []);
  const ratio = (client: string): string => `${ratioAt(requests, client, 32).toFixed(1)}×`;
  return [
    `**${ours?.cold?.requests}** token request serves ${whole(many)} callers that start at once`,
    `**${ours?.outageRequests}** token requests in an outage of 5 seconds, where other clients send ${Math.min(...inOutage)} to ${Math.max(...inOutage)}`,
    `**${ratio('axiosRef on undici')}** the requests per second of plain axios, for 32 callers on undici; ${ratio('axiosRef by default')} without undici`,
  ]
    .map((line) => `- ${line}`)
    .join('\n');
}
