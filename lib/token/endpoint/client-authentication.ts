import { randomUUID } from 'node:crypto';
import type { AssertionEntry, ClientAuth } from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../catalogue/wire.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { Secret } from '../../secrets/secret.js';
import { formEncoded } from '../../secrets/credential-forms.js';
import { keyHeader, signingInput, signWith } from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';

/** A client that authenticates at a token endpoint. */
interface Client {
  readonly clientId: Secret | undefined;
  /** The client secret, or what the client has instead. */
  readonly secret: ClientCredential;
  readonly assertion?: AssertionEntry | undefined;
  /** The address that assertions are for. */
  readonly audience: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The part of a token request that shows who the client is. */
export interface ClientProof {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** What an answer must not repeat, in addition to the client id and the secret (S10). */
  readonly assertion: Secret | undefined;
}

/** Shows who the client is. Called for each attempt, so that no assertion is sent twice (RFC 7523 section 3). */
export function proveClient(kind: ClientAuth, client: Client): ClientProof {
  return PROOFS[kind](client);
}

const PROOFS: Readonly<Record<ClientAuth, (client: Client) => ClientProof>> = {
  post: inForm,
  basic: inHeader,
  private_key_jwt: byAssertion,
  client_assertion: byGivenAssertion,
  tls_client_auth: byConnection,
};

/** RFC 6749 section 2.3.1: the two fields of the form (S2). */
function inForm({ clientId, secret }: Client): ClientProof {
  return {
    fields: { ...idOf(clientId), client_secret: secret.reveal() },
    headers: {},
    assertion: undefined,
  };
}

/** RFC 6749 section 2.3.1: Basic authentication, with both values encoded as in a form before. */
function inHeader({ clientId, secret }: Client): ClientProof {
  const credentials = [clientId, secret].map((one) => formEncoded(one?.reveal() ?? '')).join(':');
  return {
    fields: {},
    headers: { Authorization: `Basic ${unpooledText(credentials).toString('base64')}` },
    assertion: undefined,
  };
}

/** RFC 7523 section 2.2: a JWT that the private key of the client signs. */
function byAssertion({ clientId, secret, assertion: terms, audience, now }: Client): ClientProof {
  if (terms === undefined) throw new TypeError('This client signs no assertions.');
  const issuedAt = Math.floor(now / 1000);
  const header = { ...keyHeader(secret, terms.certificate), typ: terms.type };
  const claims = {
    iss: clientId?.reveal(),
    sub: clientId?.reveal(),
    aud: audience,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + terms.lifetimeSeconds,
  };
  const assertion = signWith(secret, signingInput(header, claims));
  return {
    fields: withAssertion(clientId, assertion),
    headers: {},
    assertion: new Secret(assertion),
  };
}

/** RFC 7523 section 2.2: an assertion that another system has signed. It names the client, so the client id is optional. */
function byGivenAssertion({ clientId, secret }: Client): ClientProof {
  return { fields: withAssertion(clientId, secret.reveal()), headers: {}, assertion: undefined };
}

/** RFC 8705 section 2: the certificate of the TLS connection shows who the client is. */
function byConnection({ clientId }: Client): ClientProof {
  return { fields: idOf(clientId), headers: {}, assertion: undefined };
}

function withAssertion(clientId: Secret | undefined, assertion: string): ClientProof['fields'] {
  return { ...idOf(clientId), client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}

function idOf(clientId: Secret | undefined): ClientProof['fields'] {
  return clientId === undefined ? {} : { client_id: clientId.reveal() };
}
