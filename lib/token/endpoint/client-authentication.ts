import { randomUUID } from 'node:crypto';
import type { AssertionEntry, ClientAuth } from '../../catalogue/catalogue.js';
import { ASSERTION_TYPE } from '../../catalogue/wire.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { Secret } from '../../secrets/secret.js';
import { formEncoded } from '../../secrets/credential-forms.js';
import { keyHeader, signingInput, signWith } from '../../secrets/signing-key.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';

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

/** Called for each attempt, so that no assertion is sent twice (RFC 7523 section 3). */
export function proveClient(kind: ClientAuth, client: Client): ClientProof {
  const { clientId, secret } = client;
  switch (kind) {
    case 'post':
      // RFC 6749 section 2.3.1: the two fields of the form (S2).
      return proofOf({ ...idOf(clientId), client_secret: secret.reveal() });
    case 'basic': {
      // RFC 6749 section 2.3.1: Basic authentication, with both values encoded as in a form before.
      const credentials = [clientId, secret].map((one) => formEncoded(one?.reveal() ?? '')).join(':');
      return proofOf({}, { Authorization: `Basic ${unpooledText(credentials).toString('base64')}` });
    }
    case 'private_key_jwt': {
      const assertion = signedAssertion(client);
      return proofOf(withAssertion(clientId, assertion), {}, new Secret(assertion));
    }
    case 'client_assertion':
      // RFC 7523 section 2.2: another system has signed the assertion. It names the client, so the client id is optional.
      return proofOf(withAssertion(clientId, secret.reveal()));
    case 'tls_client_auth':
    default:
      // RFC 8705 section 2: the certificate of the TLS connection shows who the client is.
      return proofOf(idOf(clientId));
  }
}

/** With every member: a missing one would be read from a polluted `Object.prototype`. */
function proofOf(
  fields: ClientProof['fields'],
  headers: ClientProof['headers'] = {},
  assertion?: Secret,
): ClientProof {
  return { fields, headers, assertion };
}

/** RFC 7523 section 2.2: a JWT that the private key of the client signs. */
function signedAssertion({ clientId, secret, assertion: terms, audience, now }: Client): string {
  if (terms === undefined) throw new TypeError('This client signs no assertions.');
  const issuedAt = Math.floor(now / 1000);
  const header = { ...keyHeader(secret, terms.certificate), typ: terms.type };
  const iss = clientId?.reveal();
  const claims = {
    iss,
    sub: iss,
    aud: audience,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + terms.lifetimeSeconds,
  };
  return signWith(secret, signingInput(header, claims));
}

function withAssertion(clientId: Secret | undefined, assertion: string): ClientProof['fields'] {
  return { ...idOf(clientId), client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
}

function idOf(clientId: Secret | undefined): ClientProof['fields'] {
  return clientId === undefined ? {} : { client_id: clientId.reveal() };
}
