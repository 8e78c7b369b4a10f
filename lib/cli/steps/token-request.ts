import { DOCTOR_HEADER } from '../../catalogue/wire.js';
import { credentialName } from '../../errors/setting-names.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { systemClock } from '../../time/clock.js';
import { TokenEndpoint } from '../../token/endpoint/token-endpoint.js';
import { secretSourceFailure } from '../../token/endpoint/token-failures.js';
import { TokenOrigins } from '../../token/token-origins.js';
import type { Step } from '../report.js';

/** Sends one token request, with the same code that the application uses. The token is kept for the next steps and is not shown. */
export const tokenRequest: Step = {
  name: 'token-request',
  async run(check) {
    const { profile, settings } = check;
    let secret: ClientCredential;
    try {
      secret = await profile.clientSecret.read();
    } catch (error) {
      // Its file may have been removed after the configuration was checked.
      return {
        status: 'failed',
        detail: `the ${credentialName(profile)} could not be read, nothing was sent`,
        code: 'SECRET_UNREADABLE',
        advice: secretSourceFailure('failed', profile, error).remedy,
      };
    }
    check.secret = secret;
    const origin = new TokenOrigins(systemClock).of(profile.tokenUrl);
    const { httpsAgent, proxy } = settings.http;
    const http = { httpsAgent, proxy, ownHeaders: doctorHeaders(profile.tokenUrl) };
    try {
      const endpoint = new TokenEndpoint(profile, http, systemClock, origin);
      check.token = await endpoint.request(secret, settings.token.timeoutMs);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      // The application reports the failure with the same words. The facts are for the provider's support.
      const { code, reason, remedy: advice, ...failure } = error.failure;
      const { status, oauthError, providerCode, traceId, correlationId } = failure;
      const facts = { status, oauthError, providerCode, traceId, correlationId };
      return { status: 'failed', detail: reason.replace(/\.$/, ''), code, advice, facts };
    } finally {
      origin.endIdle();
    }
    return { status: 'ok', detail: 'the endpoint issued a token (status 200)', facts: { status: 200 } };
  },
};

/** Tells a simulator on this machine that the doctor asks. Another provider gets the request as the application sends it. */
export function doctorHeaders(address: string): Record<string, string> {
  const { hostname } = new URL(address);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isLoopback ? { [DOCTOR_HEADER]: '1' } : {};
}

/** Shows the lifetime of the token, as the endpoint reported it (S11). */
export const lifetime: Step = {
  name: 'lifetime',
  run({ token }) {
    if (token === undefined) return { status: 'skipped', detail: 'there is no token' };
    const seconds = token.lifetimeMs / 1000;
    return {
      status: 'ok',
      detail: `the token lives for ${seconds} s: one token request in that time`,
      facts: { seconds },
    };
  },
};
