import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ClientAuth } from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../catalogue/wire.js';
import { signatureOptions, type SigningAlgorithm, signingAlgorithm } from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { safely } from '../../values/safely.js';
import { isRecord } from '../../values/is-object.js';

/** What a token request says about its client, before anything of it was checked. */
export interface ClaimedClient {
  readonly clientId: string;
  /** Undefined if the client sent an assertion. */
  readonly clientSecret?: string;
  readonly assertion?: string;
}

/** The fields of the form that each kind of authentication needs. */
export const CLIENT_FIELDS: Readonly<Record<ClientAuth, readonly string[]>> = {
  post: ['client_id', 'client_secret'],
  basic: [],
  private_key_jwt: ['client_id', 'client_assertion_type', 'client_assertion'],
};

/** RFC 7523 section 3 leaves it to the server how far ahead the end of an assertion may be. */
const LONGEST_ASSERTION_SECONDS = 600;

/** Undefined if the request does not authenticate in this way. */
export function claimedClient(
  kind: ClientAuth,
  request: Pick<IncomingMessage, 'headers'>,
  form: URLSearchParams,
): ClaimedClient | undefined {
  if (kind === 'basic') return ofHeader(request.headers.authorization);
  const clientId = form.get('client_id');
  if (!clientId) return undefined;
  if (kind === 'post') {
    const clientSecret = form.get('client_secret');
    return clientSecret ? { clientId, clientSecret } : undefined;
  }
  const assertion = form.get('client_assertion');
  return assertion && form.get('client_assertion_type') === ASSERTION_TYPE
    ? { clientId, assertion }
    : undefined;
}

/** RFC 6749 section 2.3.1: both values are encoded as in a form. */
function ofHeader(header = ''): ClaimedClient | undefined {
  const [, encoded = ''] = /^Basic ([A-Za-z\d+/=]+)$/.exec(header) ?? [];
  const parts = unpooledText(encoded, 'base64').toString('latin1').split(':');
  const [clientId, clientSecret] = parts.map((part) => new URLSearchParams(`=${part}`).get(''));
  return parts.length === 2 && clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/** Checks a client assertion as RFC 7523 section 3 says. Returns its `jti`, or undefined if the assertion is wrong. */
export function checkAssertion(
  assertion: string,
  { clientId, privateKey, tokenUrl, now }: ExpectedAssertion,
): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const [header, claims] = [head, body].map(decoded);
  const algorithm = signingAlgorithm(privateKey);
  if (algorithm === undefined || header?.['alg'] !== algorithm) return undefined;
  if (!isSignature(`${head}.${body}`, signature, privateKey, algorithm)) return undefined;
  const { iss, sub, aud, exp, jti } = claims ?? {};
  const isOfClient = iss === clientId && sub === clientId && aud === tokenUrl;
  const seconds = Number(exp) - now / 1000;
  return isOfClient && seconds > 0 && seconds <= LONGEST_ASSERTION_SECONDS && typeof jti === 'string'
    ? jti
    : undefined;
}

export interface ExpectedAssertion {
  readonly clientId: string;
  readonly privateKey: KeyObject;
  readonly tokenUrl: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

function isSignature(
  text: string,
  signature: string,
  privateKey: KeyObject,
  algorithm: SigningAlgorithm,
): boolean {
  const { hash, options } = signatureOptions(algorithm);
  const key = createPublicKey(privateKey);
  return verify(hash, Buffer.from(text), { key, ...options }, Buffer.from(signature, 'base64url'));
}

function decoded(part: string): Record<string, unknown> | undefined {
  const value: unknown = safely<unknown>(
    () => JSON.parse(Buffer.from(part, 'base64url').toString()),
    undefined,
  );
  return isRecord(value) ? value : undefined;
}
