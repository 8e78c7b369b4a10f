import { randomUUID } from 'node:crypto';
import type { ClientAuth } from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../catalogue/wire.js';
import { Secret } from '../../secrets/secret.js';
import { formEncoded } from '../../secrets/credential-forms.js';
import { signWith } from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';

/** A client that authenticates at a token endpoint. */
interface Client {
  readonly clientId: Secret;
  /** The client secret, or the PEM text of the private key. */
  readonly secret: Secret;
  readonly tokenUrl: string;
  readonly keyId?: string | undefined;
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

/** RFC 7523 section 3: the time after which an assertion is refused. Clocks may differ by minutes. */
const ASSERTION_SECONDS = 300;

/** Shows who the client is. Called for each attempt, so that no assertion is sent twice (RFC 7523 section 3). */
export function proveClient(kind: ClientAuth, client: Client): ClientProof {
  return PROOFS[kind](client);
}

const PROOFS: Readonly<Record<ClientAuth, (client: Client) => ClientProof>> = {
  post: inForm,
  basic: inHeader,
  private_key_jwt: byAssertion,
};

/** RFC 6749 section 2.3.1: the two fields of the form (S2). */
function inForm({ clientId, secret }: Client): ClientProof {
  return {
    fields: { client_id: clientId.reveal(), client_secret: secret.reveal() },
    headers: {},
    assertion: undefined,
  };
}

/** RFC 6749 section 2.3.1: Basic authentication, with both values encoded as in a form before. */
function inHeader({ clientId, secret }: Client): ClientProof {
  const credentials = [clientId, secret].map((one) => formEncoded(one.reveal())).join(':');
  return {
    fields: {},
    headers: { Authorization: `Basic ${unpooledText(credentials).toString('base64')}` },
    assertion: undefined,
  };
}

/** RFC 7523 section 2.2: a JWT that the private key of the client signs. */
function byAssertion({ clientId, secret, tokenUrl, keyId, now }: Client): ClientProof {
  const issuedAt = Math.floor(now / 1000);
  const claims = {
    iss: clientId.reveal(),
    sub: clientId.reveal(),
    aud: tokenUrl,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + ASSERTION_SECONDS,
  };
  const assertion = signWith(secret, (alg) =>
    [{ alg, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }, claims].map(jsonPart).join('.'),
  );
  return {
    fields: {
      client_id: clientId.reveal(),
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    },
    headers: {},
    assertion: new Secret(assertion),
  };
}

/** Not in the shared memory of Node's buffers, because the claims hold the client id. */
function jsonPart(part: object): string {
  return unpooledText(JSON.stringify(part)).toString('base64url');
}
