import type { LaneLedger } from './lane-ledger.js';
import type { Issued } from './pause-judge.js';

const SHOWN = 12;

/** What a token has been through until then, on the wire and for the callers, for whoever has to understand a verdict. */
export function historyOf(ledger: LaneLedger, token: Issued, until: number): string {
  const { afterRefusal, fingerprint } = token;
  const uses = (ledger.uses.get(fingerprint) ?? [])
    .filter(({ at }) => at.getTime() <= until)
    .map(({ at, status, path }) => {
      const call = ledger.ends.get(path);
      const end = call ? `${call.outcome} ${call.endedAt - token.at}` : 'not over';
      return `${at.getTime() - token.at} ${path} ${status ?? '-'} ${end}`;
    });
  const origin = afterRefusal.surely ? 'after' : afterRefusal.maybe ? 'perhaps after' : 'without';
  return `; its token came ${origin} a refusal, ${until - token.at} ms before: ${uses.slice(-SHOWN).join(', ')}`;
}
