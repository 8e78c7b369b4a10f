import type { SimulatorCredentials } from '../../../lib/testing/index.js';

/** A token request as the simulator records it. */
interface SentRequest {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: { readonly authorization?: string | undefined };
  readonly token: string | undefined;
}

/** The random part of an id that the simulator made. The rest is the names of the pair. */
const RANDOM_PART = -12;

/** The part of a key that no other key of this kind has. */
export function bodyOf(pem: string): string {
  return pem.trim().split('\n').slice(1, -1).join('').slice(48);
}

/** All secrets of one pair: its credentials, what the client has sent with its token requests, and the issued tokens. */
export function* canariesOf(
  { clientId, clientSecret, clientKey }: SimulatorCredentials,
  tokenRequests: readonly SentRequest[],
): Generator<[name: string, value: string]> {
  yield ['client id', clientId.slice(RANDOM_PART)];
  yield clientKey === undefined ? ['client secret', clientSecret] : ['client key', bodyOf(clientKey)];
  for (const [index, { fields, headers, token }] of tokenRequests.entries()) {
    const [, payload, signature] = (fields['client_assertion'] ?? '').split('.');
    const sent = {
      token,
      payload,
      signature,
      secret: fields['client_secret'],
      header: headers.authorization?.slice('Basic '.length),
    };
    // A shorter text appears by chance.
    for (const [name, value = ''] of Object.entries(sent))
      if (value.length > 7) yield [`${name} ${index}`, value];
  }
}
