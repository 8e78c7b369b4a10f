import { credentialName } from '../../errors/setting-names.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import type { ClientCredential } from '../../secrets/client-credential.js';
import { systemClock } from '../../time/clock.js';
import { TokenEndpoint } from '../../token/endpoint/token-endpoint.js';
import { TokenConnections } from '../../token/endpoint/token-connections.js';
import { secretSourceFailure } from '../../token/endpoint/token-failures.js';
import type { Check, Finding, Step } from '../step.js';
import { observeServerDate } from './clock.js';

/** Sends one token request, with the same code that the application uses. The token is kept for the next steps and is not shown. */
export const tokenRequest: Step = {
  name: 'token-request',
  async run(check) {
    const { profile, settings } = check;
    const { timeoutMs } = settings.token;
    const secret = await readSecret(check);
    if (!('reveal' in secret)) return secret;
    check.secret = secret;
    const started = performance.now();
    const endObservation = observeServerDate();
    const connections = new TokenConnections();
    try {
      const endpoint = new TokenEndpoint(profile, settings.http, systemClock, connections);
      check.token = await endpoint.request(secret, timeoutMs);
    } catch (error) {
      if (error instanceof TokenRequestError) return failed(error);
      throw error;
    } finally {
      connections.endIdle();
      check.clockAheadMs = endObservation();
    }
    const isSlow = performance.now() - started > timeoutMs / 2;
    return {
      status: 'ok',
      detail: 'the endpoint issued a token (status 200)',
      facts: { status: 200 },
      ...(isSlow && {
        advice: `The request took more than half of the ${timeoutMs} ms that an attempt may take. Ask the provider why, or raise token.timeoutMs.`,
      }),
    };
  },
};

/** The file of the secret may have been removed after the configuration was checked. */
async function readSecret({ profile }: Check): Promise<ClientCredential | Finding> {
  try {
    return await profile.clientSecret.read();
  } catch (error) {
    return {
      status: 'failed',
      detail: `the ${credentialName(profile)} could not be read, nothing was sent`,
      code: 'SECRET_UNREADABLE',
      advice: secretSourceFailure('failed', profile, error).remedy,
    };
  }
}

/** The application reports the failure with the same words (B29). */
function failed({ failure: { code, reason, remedy, status, oauthError } }: TokenRequestError): Finding {
  return {
    status: 'failed',
    detail: reason.replace(/\.$/, ''),
    code,
    advice: remedy,
    facts: {
      ...(status !== undefined && { status }),
      ...(oauthError !== undefined && { oauthError }),
    },
  };
}
