import { type KeyObject, X509Certificate } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { onTestFinished } from 'vitest';
import type { AssertionTerms } from '../../../lib/index.js';
import { WireServer } from '../http/wire-server.js';

/** A client as its authorization server knows it. */
export interface RegisteredClient {
  readonly publicKey: KeyObject;
  /** PEM. The first certificate is that of the key. */
  readonly chain?: readonly string[];
  readonly keyId?: string;
  readonly algorithm: string;
  readonly audience: string;
  readonly type: string;
  readonly certificate?: AssertionTerms['certificate'];
  readonly lifetimeSeconds?: number;
}

/** A token endpoint that accepts client assertions. `jose` checks them: it shares no code with the library. */
export class AssertionChecker {
  /** By client id. */
  readonly clients = new Map<string, RegisteredClient>();
  /** Why each request was refused. Undefined for an accepted request. */
  readonly verdicts: (string | undefined)[] = [];
  readonly claims: JWTPayload[] = [];

  private constructor(readonly server: WireServer) {}

  static async start(): Promise<AssertionChecker> {
    const server = await WireServer.start();
    const checker = new AssertionChecker(server);
    server.handler = (_, response, { body }) => void checker.#answer(response, body);
    return checker;
  }

  /** A checker that ends with the test. */
  static async forTest(): Promise<AssertionChecker> {
    const checker = await AssertionChecker.start();
    onTestFinished(() => checker.close());
    return checker;
  }

  get tokenUrl(): string {
    return `${this.server.url}/oauth2/token`;
  }

  close(): Promise<void> {
    return this.server.close();
  }

  async #answer(response: ServerResponse, body: Buffer): Promise<void> {
    const verdict = await this.#verdictOn(new URLSearchParams(body.toString()));
    this.verdicts.push(verdict);
    const answer =
      verdict === undefined
        ? { access_token: `token-${this.verdicts.length}`, token_type: 'Bearer', expires_in: 3600 }
        : { error: 'invalid_client' };
    response.writeHead(verdict === undefined ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  }

  async #verdictOn(form: URLSearchParams): Promise<string | undefined> {
    const [clientId, assertion] = [form.get('client_id') ?? '', form.get('client_assertion') ?? ''];
    const client = this.clients.get(clientId);
    if (client === undefined) return 'unknown client';
    if (form.get('client_assertion_type') !== 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
      return 'assertion type';
    const { publicKey, keyId, algorithm, audience, type, certificate, lifetimeSeconds = 300 } = client;
    const demands: JWTVerifyOptions = {
      algorithms: [algorithm],
      issuer: clientId,
      subject: clientId,
      audience,
      typ: type,
      requiredClaims: ['jti', 'iat', 'exp'],
    };
    try {
      const { payload } = await jwtVerify(assertion, publicKey, demands);
      const header: Record<string, unknown> = { ...decodeProtectedHeader(assertion) };
      this.claims.push(payload);
      if (payload.aud !== audience) return 'audience';
      if (Number(payload.exp) - Number(payload.iat) !== lifetimeSeconds) return 'lifetime';
      if (header['kid'] !== keyId) return 'key id';
      const expected = certificate === undefined ? {} : { [certificate]: namesOf(client)[certificate] };
      const { x5t, 'x5t#S256': s256, x5c } = header;
      const given = JSON.parse(JSON.stringify({ x5t, 'x5t#S256': s256, x5c })) as object;
      return JSON.stringify(given) === JSON.stringify(expected) ? undefined : 'certificate';
    } catch (error) {
      if (error instanceof errors.JOSEError) return error.code;
      throw error;
    }
  }
}

/** The names of a certificate, from the fingerprints and the texts that Node and PEM give: not from its bytes. */
function namesOf({ chain = [] }: RegisteredClient): Record<'x5t' | 'x5t#S256' | 'x5c', unknown> {
  const { fingerprint, fingerprint256 } = new X509Certificate(chain[0] ?? '');
  return {
    x5t: encoded(fingerprint),
    'x5t#S256': encoded(fingerprint256),
    x5c: chain.map((pem) => pem.replaceAll(/-----[A-Z ]+-----|\s/g, '')),
  };
}

function encoded(hex: string): string {
  return Buffer.from(hex.replaceAll(':', ''), 'hex').toString('base64url');
}
