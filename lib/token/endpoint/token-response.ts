import { B64TOKEN, TOKEN_TYPE } from '../../catalogue/wire.js';

/** What is taken from a good answer. */
export interface GrantedToken {
  readonly value: string;
  readonly lifetimeMs: number;
}

/** Why an answer with status 200 is no good, in words that repeat nothing of it. */
export class UnusableTokenResponse {
  constructor(readonly reason: string) {}
}

export const LONGEST_TOKEN = 16 * 1024;
/** A token that claims to live longer is treated as if it lived so long. The scripts of Redis allow one day more. */
export const LONGEST_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Reads the body of a token response (S3, B13): strict about what is used, indifferent to everything else.
 *
 * Members are looked up as own properties only, so that a `__proto__` in the body carries nothing in.
 */
export function readTokenResponse(body: Buffer): GrantedToken | UnusableTokenResponse {
  const answer = parseObject(body);
  if (answer === undefined) return new UnusableTokenResponse('the answer is not a JSON object.');
  if (Object.hasOwn(answer, 'error'))
    return new UnusableTokenResponse('the answer holds an error in spite of its status 200.');

  const value = own(answer, 'access_token');
  if (typeof value !== 'string' || value.length > LONGEST_TOKEN || !B64TOKEN.test(value)) {
    return new UnusableTokenResponse('"access_token" is missing or not a bearer token of RFC 6750.');
  }
  const type = own(answer, 'token_type');
  if (typeof type !== 'string' || type.toLowerCase() !== TOKEN_TYPE.toLowerCase()) {
    return new UnusableTokenResponse('"token_type" is not Bearer.');
  }
  const seconds = readSeconds(own(answer, 'expires_in'));
  if (seconds === undefined)
    return new UnusableTokenResponse('"expires_in" is not a number of seconds above 0.');

  return { value, lifetimeMs: Math.min(seconds * 1000, LONGEST_LIFETIME_MS) };
}

/** The `error` member of a refusal's body, whatever it is (RFC 6749 section 5.2). */
export function readErrorMember(body: Buffer): unknown {
  const answer = parseObject(body);
  return answer && own(answer, 'error');
}

function parseObject(body: Buffer): object | undefined {
  try {
    // Fatal, so that a body in another encoding is not half understood; a byte order mark is dropped.
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function own(answer: object, member: string): unknown {
  return Object.getOwnPropertyDescriptor(answer, member)?.value;
}

function readSeconds(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value > 0 ? value : undefined;
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return undefined;
  return Number(value) > 0 ? Number(value) : undefined;
}
