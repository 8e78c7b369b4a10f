import type { IncomingHttpHeaders } from 'node:http';
import type { AnyPair } from '../../catalogue/catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';
import type { Answer } from './answer.js';
import type { ClaimedClient } from './client-check.js';
import { bearerOf, type TokenRequestRecord } from './records.js';
import type { TokenMint } from './token-mint.js';

/** A name of a form field as people choose it. Any other text may contain a secret. */
const FIELD_NAME = /^[\w.-]{1,40}$/;

/**
 * Why a token request with wrong fields is refused, in a few words.
 *
 * @param expected the fields that a correct request has.
 */
export function reasonOfRefusal(
  { body }: Answer,
  { fields }: TokenRequestRecord,
  expected: readonly string[],
): string {
  const { error, error_description: description } = JSON.parse(body.toString()) as Record<string, string>;
  if (error === 'invalid_client') return 'credentials in the Authorization header';
  if (error === 'unsupported_grant_type') return 'unsupported grant type';
  const additional = Object.keys(fields).find((name) => !expected.includes(name));
  if (description === 'There is an additional field.' && additional !== undefined)
    return FIELD_NAME.test(additional) ? `unsupported field ${additional}` : 'unsupported field';
  const missing = expected.filter((field) => !fields[field]);
  if (description?.startsWith('There must be') && missing.length > 0) return `missing ${missing.join(', ')}`;
  return (description ?? '').replace(/^The /, 'the ').replace(/\.$/, '');
}

/** Why the credentials of a token request are refused. */
export function reasonOfInvalidClient(
  { assertion, certificate }: ClaimedClient,
  owner: AnyPair | undefined,
  isAccepted: boolean,
): string {
  if (owner === undefined) return 'unknown client id';
  if (isAccepted) return `credentials of ${owner.interface} ${owner.environment}`;
  if (certificate !== undefined) return 'wrong client certificate';
  return assertion === undefined ? 'wrong client secret' : 'wrong or used assertion';
}

/** Why an API request has no valid token for this pair. */
export function reasonOfInvalidToken(
  headers: IncomingHttpHeaders,
  pair: AnyPair,
  mint: TokenMint,
  scheme: string = SCHEME,
): string {
  if (headers.authorization === undefined) return 'no token';
  const bearer = bearerOf(headers, scheme);
  if (bearer === undefined) return `the Authorization header is not "${scheme} <token>"`;
  const claims = mint.find(bearer)?.claims;
  if (
    claims !== undefined &&
    (claims.interface !== pair.interface || claims.environment !== pair.environment)
  )
    return `token of ${claims.interface} ${claims.environment}`;
  const end = mint.endOf(bearer);
  return end === undefined ? 'token was not issued since the start' : `token ${end}`;
}
