import type { IncomingHttpHeaders } from 'node:http';
import type { AnyPair } from '../../catalogue/catalogue.js';
import { SCHEME } from '../../catalogue/wire.js';
import type { ClaimedClient } from './client-check.js';
import { bearerOf } from './records.js';
import type { TokenMint } from './token-mint.js';

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

/** Why an API request has no valid token for its pair. A token that is valid is that of another pair. */
export function reasonOfInvalidToken(
  headers: IncomingHttpHeaders,
  mint: TokenMint,
  scheme: string = SCHEME,
): string {
  if (headers.authorization === undefined) return 'no token';
  const bearer = bearerOf(headers, scheme);
  if (bearer === undefined) return `the Authorization header is not "${scheme} <token>"`;
  const other = mint.find(bearer)?.claims;
  if (other !== undefined) return `token of ${other.interface} ${other.environment}`;
  const end = mint.endOf(bearer);
  return end === undefined ? 'token was not issued since the start' : `token ${end}`;
}
