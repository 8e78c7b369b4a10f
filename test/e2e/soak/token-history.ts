import type { ClientRequestLog } from './client-request-log.js';
import type { IssuedToken } from './pause-checker.js';

const SHOWN = 12;

/** The uses of a token until this time as a text: requests on the wire and outcomes of calls. For the report. */
export function historyOf(requestLog: ClientRequestLog, token: IssuedToken, until: number): string {
  const { afterRefusal, fingerprint } = token;
  const uses = (requestLog.uses.get(fingerprint) ?? [])
    .filter(({ at }) => at.getTime() <= until)
    .map(({ at, status, path }) => {
      const call = requestLog.ends.get(path);
      const end = call ? `${call.outcome} ${call.endedAt - token.at}` : 'not over';
      return `${at.getTime() - token.at} ${path} ${status ?? '-'} ${end}`;
    });
  const origin = afterRefusal.certainly ? 'after' : afterRefusal.possibly ? 'perhaps after' : 'without';
  return `; its token came ${origin} a refusal, ${until - token.at} ms before: ${uses.slice(-SHOWN).join(', ')}`;
}
