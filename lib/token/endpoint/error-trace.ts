import { holdsCredential } from '../../secrets/credential-forms.js';
import type { Secret } from '../../secrets/secret.js';
import { isRecord } from '../../values/is-object.js';
import { safely } from '../../values/safely.js';

/** What an endpoint says about a refusal besides the code of the standard. None of it can be a text of the server's choice. */
export interface ErrorTrace {
  /** The provider's own number of the error: `AADSTS7000215`, or the digits of `error_codes`. */
  readonly providerCode?: string;
  readonly traceId?: string;
  readonly correlationId?: string;
}

const AADSTS = /\bAADSTS\d{4,8}\b/;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @param hidden the credentials of the request. An endpoint that repeats one of them shows nothing (S10). */
export function readErrorTrace(body: Buffer, hidden: readonly (Secret | undefined)[]): ErrorTrace {
  const answer: unknown = safely<unknown>(() => JSON.parse(body.toString('utf8')), undefined);
  if (!isRecord(answer)) return {};
  const isShown = (text: unknown): text is string =>
    typeof text === 'string' && !hidden.some((one) => one && holdsCredential(text, one.reveal()));
  const [traceId, correlationId] = ['trace_id', 'correlation_id'].map((name) => {
    const id = Object.hasOwn(answer, name) ? answer[name] : undefined;
    return isShown(id) && UUID.test(id) ? id : undefined;
  });
  const providerCode = providerCodeIn(answer);
  return {
    ...(isShown(providerCode) && { providerCode }),
    ...(traceId !== undefined && { traceId }),
    ...(correlationId !== undefined && { correlationId }),
  };
}

function providerCodeIn(answer: Record<string, unknown>): string | undefined {
  const { error_description: description, error_codes: codes } = answer;
  const [named] = (typeof description === 'string' && AADSTS.exec(description)) || [];
  const first: unknown = Array.isArray(codes) ? codes[0] : undefined;
  return named ?? (/^\d{4,8}$/.test(String(first)) ? String(first) : undefined);
}

/** The codes and ids of a refusal, for its message: ` (invalid_client, AADSTS7000215, trace id …)`. */
export function describeRefusal(oauthError: string | undefined, trace: ErrorTrace): string {
  const { providerCode, traceId, correlationId } = trace;
  const known = [
    oauthError,
    providerCode,
    traceId && `trace id ${traceId}`,
    correlationId && `correlation id ${correlationId}`,
  ].filter((one) => one !== undefined);
  return known.length === 0 ? '' : ` (${known.join(', ')})`;
}
