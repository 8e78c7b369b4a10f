import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { FleetEntry } from '../../../../lib/token/fleet/fleet-entry.js';
import { settled } from '../../token/fake-clock.js';

interface Sealed {
  readonly name: string;
  readonly kind: string;
  readonly content: ReadonlyMap<string, unknown>;
}

const PREFIX = 'sealed-';
const KEY_BYTES = 32;

let all: Sealed[] = [];

/** Each history has the same texts. */
export function resetSeals(): void {
  all = [];
}

/**
 * While this function runs, all processes use numbered texts in place of encrypted texts, and derive no keys. An exploration seals and
 * opens millions of records, and the encryption took half of its time. `fleet-entry.spec.ts` tests the real seals. As there, a text
 * opens only under the name and the kind that it was sealed for.
 */
export async function useNumberedSeals<Result>(run: () => Promise<Result>): Promise<Result> {
  const { hkdfSync } = crypto;
  // oxlint-disable-next-line typescript/unbound-method -- they are put back below
  const { seal, open } = FleetEntry.prototype;
  // oxlint-disable-next-line typescript/unbound-method -- the same
  const { of } = FleetEntry;
  const entries = new Map<string, FleetEntry | undefined>();
  // Apart from accounts, all processes have the same profile. So an account and a credential always have the same entry.
  FleetEntry.of = (pair, credential, sealKey) => {
    const key = JSON.stringify([pair.account, credential.clientId?.reveal(), credential.reveal()]);
    if (!entries.has(key)) entries.set(key, of.call(FleetEntry, pair, credential, sealKey));
    return entries.get(key);
  };
  Object.assign(FleetEntry.prototype, { seal: numberedSeal, open: numberedOpen });
  setHkdf(() => new ArrayBuffer(KEY_BYTES));
  try {
    const result = await run();
    // The processes of the last history still do the work that needs no time.
    await settled();
    return result;
  } finally {
    Object.assign(FleetEntry.prototype, { seal, open });
    FleetEntry.of = of;
    setHkdf(hkdfSync);
  }
}

function numberedSeal(this: FleetEntry, kind: string, content: object): string {
  all.push({ name: this.name, kind, content: new Map(Object.entries(content)) });
  return `${PREFIX}${all.length}`;
}

function numberedOpen(this: FleetEntry, kind: string, value: string): Sealed['content'] | undefined {
  const number = value.startsWith(PREFIX) ? Number(value.slice(PREFIX.length)) : 0;
  const sealed = all[number - 1];
  return sealed?.name === this.name && sealed.kind === kind ? sealed.content : undefined;
}

function setHkdf(hkdfSync: typeof crypto.hkdfSync): void {
  Object.assign(crypto, { hkdfSync });
  syncBuiltinESMExports();
}
