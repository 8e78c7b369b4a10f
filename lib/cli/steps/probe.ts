import type { Readable } from 'node:stream';
import { refusalsOf } from '../../catalogue/catalogue.js';
import { errorCode } from '../../errors/error-code.js';
import { networkTrouble, remedyOf, type Trouble } from '../../errors/troubles.js';
import { RequestRefusedError } from '../../errors/request-refused.error.js';
import { createProviderHttpClient } from '../../http/provider-http-client.js';
import type { AccessToken } from '../../secrets/access-token.js';
import { systemClock } from '../../time/clock.js';
import { createTokenProvider } from '../../token/create-token-provider.js';
import type { Check, Finding, Step } from '../report.js';
import { adviceOnNetwork } from './connection.js';
import { doctorHeaders } from './token-request.js';

/** The codes that axios uses for a timeout. Earlier steps have checked the connection to the API. */
const OUT_OF_TIME: ReadonlySet<string> = new Set(['ECONNABORTED', 'ETIMEDOUT']);

/** A warning: with a status such as 404, the path or the request is wrong, and it is not known whether the API checks tokens there. */
const NO_PROOF =
  'This does not show that the API accepts the token. Give --probe a path that answers with 2xx.';

/**
 * Sends one authorized GET under the base URL, with the same client that the application uses. It uses the token of the
 * step `token-request`: it asks for no other token, and does not send the request again after a 401. The output does not
 * repeat the path, because the user may have put a credential into its query (S10).
 */
export const probe: Step = {
  name: 'probe',
  run(check) {
    const { probe: path, token } = check;
    if (path === undefined)
      return {
        status: 'skipped',
        detail: 'not checked whether the API accepts the token: use --probe <path>',
      };
    if (token === undefined) return { status: 'skipped', detail: 'there is no token' };
    return ask(check, path, token);
  },
};

async function ask(check: Check, path: string, token: AccessToken): Promise<Finding> {
  const { profile, settings } = check;
  const tokens = createTokenProvider(profile, settings, systemClock, Math.random, () => ({
    request: () => Promise.resolve(token),
  }));
  // These settings are named one by one, because a spread does not copy settings that may contain a credential.
  const { timeoutMs, httpsAgent, proxy, transport } = settings.http;
  const headers = { ...settings.http.headers, ...doctorHeaders(profile.baseUrl) };
  const once = { retryUnauthorized: false, maxRedirects: 0 };
  const http = { ...once, timeoutMs, httpsAgent, proxy, headers, transport };
  const client = createProviderHttpClient({ profile, http, tokens, clock: systemClock });
  try {
    const { status, data } = await client.axios.get<Readable>(path, {
      responseType: 'stream',
      validateStatus: () => true,
    });
    data.on('error', () => {}).destroy();
    return findingOf(check, status);
  } catch (error) {
    return failed(check, error);
  } finally {
    tokens.close();
    await client.close();
  }
}

function findingOf({ profile, isForOtherPath }: Check, status: number): Finding {
  const trouble = refusalsOf(profile.terms).includes(status) ? 'refused-token' : troubleOf(status);
  const facts = { status };
  const isNothing = status === 404;
  const detail = `the API answered with status ${status}${isNothing ? ': nothing was found there' : ''}`;
  const code = `HTTP_${status}`;
  if (trouble !== undefined)
    return { status: 'failed', detail, code, advice: remedyOf(trouble, profile, 'baseUrl'), facts };
  if (status < 400) return { status: 'ok', detail, facts };
  const advice =
    isNothing && isForOtherPath
      ? `The path of ${profile.names.baseUrl} is probably wrong: nothing was found under it, and the aud of this token names another address on the same host.`
      : NO_PROOF;
  return { status: 'ok', detail, code, advice, facts };
}

function troubleOf(status: number): Trouble | undefined {
  // A 401 that does not refuse the token, because the definition has only 403 in `refusedWith`.
  if (status === 401 || status === 403) return 'forbidden';
  if (status === 407) return 'proxy';
  return status >= 500 ? 'server-trouble' : undefined;
}

function failed(check: Check, error: unknown): Finding {
  if (error instanceof RequestRefusedError)
    return {
      status: 'failed',
      detail: 'the request was not sent, because its address is not under the base URL',
      code: error.code,
      advice: 'Give --probe a path that stays under the base URL.',
    };
  const code = errorCode(error) ?? 'UNKNOWN';
  const isLate = OUT_OF_TIME.has(code);
  const trouble = isLate ? 'unanswered' : networkTrouble(code);
  const late = isLate ? ` within ${check.settings.http.timeoutMs} ms` : '';
  return {
    status: 'failed',
    detail: `the API did not answer${late} (${code})`,
    code,
    advice: adviceOnNetwork(check, 'baseUrl', trouble),
  };
}
