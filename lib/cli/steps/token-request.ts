import { ProviderAuthConfigError } from '../../errors/provider-auth-config.error.js';
import { TokenRequestError } from '../../errors/token-request.error.js';
import type { Secret } from '../../secrets/secret.js';
import { systemClock } from '../../time/clock.js';
import { TokenEndpoint } from '../../token/token-endpoint.js';
import { observeServerDate } from '../server-date.js';
import type { Check, Finding, Step } from '../step.js';
import { refusalAdvice } from './refusal-advice.js';

const CLIENT_CERTIFICATE_ADVICE =
  'The endpoint wants a client certificate. The application passes one by http.httpsAgent, which is code that the doctor does not see: it cannot go further.';

/** One attempt, made by the very code that the application uses; the token is kept for the next steps and shown nowhere. */
export const tokenRequest: Step = {
  name: 'token-request',
  async run(check) {
    const secret = await readSecret(check);
    if (!('reveal' in secret)) return secret;
    check.secret = secret;
    const started = performance.now();
    const observation = observeServerDate();
    try {
      return await ask(check, secret, started);
    } catch (error) {
      if (error instanceof TokenRequestError) return failed(check, error, performance.now() - started);
      throw error;
    } finally {
      check.clockAheadMs = observation.end();
    }
  },
};

async function ask(check: Check, secret: Secret, started: number): Promise<Finding> {
  const { profile, settings } = check;
  const { timeoutMs } = settings.token;
  check.token = await new TokenEndpoint(profile, settings.http, systemClock).request(secret, timeoutMs);
  const slow = performance.now() - started > timeoutMs / 2;
  return {
    status: 'ok',
    detail: 'the endpoint gave a token (status 200)',
    facts: { status: 200 },
    ...(slow && {
      advice: `It took more than half of the ${timeoutMs} ms that an attempt may take. Ask the provider why, or raise token.timeoutMs.`,
    }),
  };
}

/** A secret in a file may have gone since the configuration was checked. */
async function readSecret({ profile }: Check): Promise<Secret | Finding> {
  try {
    return await profile.clientSecret.read();
  } catch (error) {
    const [problem] = error instanceof ProviderAuthConfigError ? error.problems : [];
    return {
      status: 'failed',
      detail: 'the client secret could not be read, nothing was sent',
      code: 'SECRET_UNREADABLE',
      advice: problem ? `${problem.env ?? problem.path} ${problem.message}` : 'Check its file.',
    };
  }
}

function failed(check: Check, error: TokenRequestError, afterMs: number): Finding {
  const { code, reason, remedy, status, oauthError } = error.failure;
  return {
    status: 'failed',
    detail: reason.replace(/\.$/, ''),
    code,
    advice: refusalAdvice(check.profile, status, oauthError) ?? brokenOff(check, error, afterMs) ?? remedy,
    facts: {
      ...(status !== undefined && { status }),
      ...(oauthError !== undefined && { oauthError }),
    },
  };
}

/** The steps before have shown that name, network and certificate are right: it is no use to send people there again. */
function brokenOff(
  { destination, settings }: Check,
  { code, status, failure }: TokenRequestError,
  afterMs: number,
): string | undefined {
  // With TLS 1.3 a server says so only once the client has finished its handshake.
  if (failure.reason.includes('ALERT_CERTIFICATE_REQUIRED')) return CLIENT_CERTIFICATE_ADVICE;
  const answered = status !== undefined || code !== 'TOKEN_UNAVAILABLE';
  if (answered || destination.isProxy || afterMs >= settings.token.timeoutMs) return undefined;
  return 'The connection works, but what answers breaks off or speaks no HTTP. Check the port; if it is right, tell the provider.';
}
