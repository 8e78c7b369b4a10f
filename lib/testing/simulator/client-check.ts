import { createPublicKey, type KeyObject, verify, type X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { AssertionEntry, ClientAuth, SigningAlgorithm } from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE, SIMULATED_PLATFORM } from '../../catalogue/wire.js';
import { ClientCredential } from '../../secrets/client-credential.js';
import {
  keyHeader,
  signatureOptions,
  signingAlgorithms,
  signingInput,
  signWith,
} from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';
import { safely } from '../../values/safely.js';
import { isRecord } from '../../values/is-object.js';

/** What a token request says about its client, before anything of it was checked. */
export interface ClaimedClient {
  readonly clientId: string;
  /** One of these, by the kind of authentication. */
  readonly clientSecret?: string;
  readonly assertion?: string;
  /** The certificate of the TLS connection. */
  readonly certificate?: X509Certificate;
}

/** The fields of the form that each kind of authentication needs. */
export const CLIENT_FIELDS: Readonly<Record<ClientAuth, readonly string[]>> = {
  post: ['client_id', 'client_secret'],
  basic: [],
  private_key_jwt: ['client_id', 'client_assertion_type', 'client_assertion'],
  client_assertion: ['client_assertion_type', 'client_assertion'],
  tls_client_auth: ['client_id'],
};

/** RFC 7523 section 3 leaves it to the server how far ahead the end of an assertion may be. */
const LONGEST_ASSERTION_SECONDS = 600;

/** Undefined if the request does not authenticate in this way. */
export function claimedClient(
  kind: ClientAuth,
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  form: URLSearchParams,
): ClaimedClient | undefined {
  if (kind === 'basic') return ofHeader(request.headers.authorization);
  const clientId = claimedId(request, form);
  if (!clientId) return undefined;
  if (kind === 'post') {
    const clientSecret = form.get('client_secret');
    return clientSecret ? { clientId, clientSecret } : undefined;
  }
  if (kind === 'tls_client_auth') {
    const { socket } = request;
    const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined;
    return certificate ? { clientId, certificate } : undefined;
  }
  const assertion = form.get('client_assertion');
  return assertion && form.get('client_assertion_type') === ASSERTION_TYPE
    ? { clientId, assertion }
    : undefined;
}

/** The subject of an assertion names the client, too (RFC 7521 section 4.2). */
export function claimedId(
  { headers }: Pick<IncomingMessage, 'headers'>,
  form: URLSearchParams,
): string | undefined {
  const subject = form.get('client_assertion')?.split('.').slice(1, 2).map(decoded)[0]?.['sub'];
  const id = form.get('client_id') ?? ofHeader(headers.authorization)?.clientId ?? subject;
  return typeof id === 'string' ? id : undefined;
}

/** RFC 6749 section 2.3.1: both values are encoded as in a form. */
function ofHeader(header = ''): ClaimedClient | undefined {
  const [, encoded = ''] = /^Basic ([A-Za-z\d+/=]+)$/.exec(header) ?? [];
  const parts = unpooledText(encoded, 'base64').toString('latin1').split(':');
  const [clientId, clientSecret] = parts.map((part) => new URLSearchParams(`=${part}`).get(''));
  return parts.length === 2 && clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

/**
 * Checks a client assertion as RFC 7523 section 3 says, and as the definition does. Returns its `jti`, or undefined if the
 * assertion is wrong.
 */
export function checkAssertion(
  assertion: string,
  { clientId, privateKey, certificate, audience, terms, now }: ExpectedAssertion,
): string | undefined {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const [header = {}, claims = {}] = [head, body].map(decoded);
  const algorithm = terms.algorithm ?? signingAlgorithms(privateKey)[0];
  if (algorithm === undefined || (header['typ'] ?? 'JWT') !== terms.type) return undefined;
  // The header has the algorithm, and names the certificate as the definition demands.
  const expected = keyHeader(new ClientCredential('', { algorithm, certificate }), terms.certificate);
  const names = Object.entries(expected);
  if (names.some(([name, value]) => JSON.stringify(header[name]) !== JSON.stringify(value))) return undefined;
  if (!isSignature(`${head}.${body}`, signature, privateKey, algorithm)) return undefined;
  const { iss, sub, aud, exp, iat = now / 1000, jti } = claims;
  const isOfClient = iss === clientId && sub === clientId && aud === audience;
  const seconds = Number(exp) - now / 1000;
  const isBrief = Number(exp) - Number(iat) <= terms.lifetimeSeconds && seconds <= LONGEST_ASSERTION_SECONDS;
  return isOfClient && seconds > 0 && isBrief && typeof jti === 'string' ? jti : undefined;
}

/** So long that an application in development needs no new file. */
const PLATFORM_ASSERTION_SECONDS = 30 * 24 * 60 * 60;

type PlatformAssertion = Pick<ExpectedAssertion, 'clientId' | 'privateKey' | 'audience' | 'now'>;

/** An assertion of the platform on which the client runs, in place of a Kubernetes cluster or a cloud. */
export function platformAssertion({ clientId, privateKey, audience, now }: PlatformAssertion): string {
  const [algorithm] = signingAlgorithms(privateKey);
  const iat = Math.floor(now / 1000);
  const claims = {
    iss: SIMULATED_PLATFORM,
    sub: clientId,
    aud: audience,
    iat,
    exp: iat + PLATFORM_ASSERTION_SECONDS,
  };
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const header = { alg: algorithm, typ: 'JWT' };
  return signWith(new ClientCredential(pem, { algorithm }), signingInput(header, claims));
}

export function isPlatformAssertion(
  assertion: string,
  { clientId, privateKey, audience, now }: PlatformAssertion,
): boolean {
  const [head = '', body = '', signature = ''] = assertion.split('.');
  const { iss, sub, aud, exp } = decoded(body) ?? {};
  const [algorithm = 'ES256'] = signingAlgorithms(privateKey);
  const isMeant =
    iss === SIMULATED_PLATFORM && sub === clientId && aud === audience && Number(exp) > now / 1000;
  return isMeant && isSignature(`${head}.${body}`, signature, privateKey, algorithm);
}

export interface ExpectedAssertion {
  readonly clientId: string;
  readonly privateKey: KeyObject;
  /** PEM. Undefined if the header names no certificate. */
  readonly certificate: string | undefined;
  readonly audience: string;
  readonly terms: AssertionEntry;
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
