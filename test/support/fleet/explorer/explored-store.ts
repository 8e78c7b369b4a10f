import type {
  StoreAnswer,
  StoreClaim,
  StorePublication,
  StoreRelease,
  TokenStore,
} from '../../../../lib/config/options/token-store.js';
import { MemoryTokenStore } from '../../../../lib/testing/index.js';
import { Secret } from '../../../../lib/secrets/secret.js';
import { FleetEntry, LEASE_MS, UNSENT_LEASE_MS } from '../../../../lib/token/fleet/fleet-entry.js';
import { profileOf } from '../../token/token-fixtures.js';
import type { ExploredTime } from './explored-time.js';
import type { LeaseFact, PublicationFact } from './fleet-facts.js';

const KINDS = ['token', 'lease', 'failure'] as const;

/** The places of all credentials, by their names in the store. */
const places = new Map<string, { readonly secret: string; readonly entry: FleetEntry }>();
const placed = new Set<string>();
/** The clients to which assertions belong. */
const subjects = new Map<string, string>();

export const SEAL_KEY = new Secret('a seal key of thirty-two bytes or more');
/** A planted error replaces this function in the processes. */
const entryOf = FleetEntry.of.bind(FleetEntry);

/** A new assertion for a client. In a history, the client is the name of the entry. */
export function assertionFor(client: string, number: string): string {
  const claims = { iss: 'the cluster', sub: client, jti: number };
  const assertion = `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
  subjects.set(assertion, client);
  return assertion;
}

/** The name of the entry for a credential: the secret itself, or the client of an assertion. */
export function entryNameOf(credential: string): string {
  return subjects.get(credential) ?? credential;
}

/** Makes the place of a credential known. */
export function addPlace(credential: string): void {
  if (placed.has(credential)) return;
  placed.add(credential);
  const secret = entryNameOf(credential);
  const profile = profileOf(subjects.has(credential) ? { credential: 'assertion' } : {});
  const entry = entryOf(profile, new Secret(credential), SEAL_KEY);
  if (entry) places.set(entry.name, { secret, entry });
}

function secretOf(name: string): string {
  return places.get(name)?.secret ?? 'no entry';
}

/** What another writer of the store writes without the secret. */
const UNREADABLE_GARBAGE = ['an unreadable entry', 'an unreadable lease'] as const;
const GARBAGE = [...UNREADABLE_GARBAGE, 'the first entry'] as const;
export type Garbage = (typeof GARBAGE)[number];
const UNREADABLE = 'unreadable';
const HOUR_MS = 60 * 60 * 1000;

/** A message of a process to the store, before the store executes it. */
export type StoreMessage = {
  readonly sentAt: number;
  readonly process: string;
  /** For how long the caller of the process has waited. */
  readonly waitedMs: number;
  /** The number of the store's clock that the process knows. */
  readonly knownClock: number;
} & (
  | { readonly kind: 'claim'; readonly content: StoreClaim }
  | { readonly kind: 'publish'; readonly content: StorePublication }
  | { readonly kind: 'release'; readonly content: StoreRelease }
);

/** Puts an error into a store, for the tests of the explorer itself. */
export type PlantedStore = (store: TokenStore) => TokenStore;

/** A publication as the store sees it. */
export type ExecutedPublication = Omit<PublicationFact, 'entryOfToken'> & { readonly token: unknown };

interface CountedLease extends LeaseFact {
  readonly owner: string;
  /** When its claim was sent. */
  readonly takenAt: number;
  /** Whether it says that the request of its owner has reached the token endpoint. */
  readonly isSent?: true | undefined;
  readonly storedUntil: number;
  liveUntil: number;
  isReplaced: boolean;
}

/**
 * The store of a history: `MemoryTokenStore`, which the conformance suite compares with Redis. This class also counts the leases that
 * the store gives, and gives each sealed text a short name, because a sealed text is another one in each run.
 */
export class ExploredStore {
  readonly #time: ExploredTime;
  readonly #plant: PlantedStore;
  readonly #labels = new Map<string, string>();
  readonly #names = new Set<string>();
  /** The first entry that was published under each name. */
  readonly #first = new Map<string, string>();
  /** Each answer, with the number of the store's clock. */
  readonly #clocks = new WeakMap<object, number>();
  readonly #contents = new Map<string, string>();
  #memory: MemoryTokenStore;
  #store: TokenStore;
  #leases: CountedLease[] = [];
  /** Counts what may have changed the content. */
  #changes = 0;
  /** The number of the store's clock. Each time when the clock is set, another clock begins. */
  #clock = 0;

  constructor(time: ExploredTime, plant: PlantedStore = (store) => store) {
    this.#time = time;
    this.#plant = plant;
    this.#memory = new MemoryTokenStore(() => time.storeWall);
    this.#store = plant(this.#memory);
  }

  get changes(): number {
    return this.#changes;
  }

  get leases(): readonly CountedLease[] {
    return this.#leases;
  }

  /** Redis restarts without a copy on disk. */
  restart(): void {
    this.#changes += 1;
    this.#leases = [];
    this.#memory = new MemoryTokenStore(() => this.#time.storeWall);
    this.#store = this.#plant(this.#memory);
  }

  /** The store's clock is set back. No process knows the new clock yet. */
  setClockBy(ms: number): void {
    this.#changes += 1;
    this.#clock += 1;
    this.#time.storeBackMs -= ms;
    for (const lease of this.#leases) lease.liveUntil = this.#time.now;
  }

  /** The number of the store's clock that an answer has brought. */
  clockOf(answer: object): number | undefined {
    return this.#clocks.get(answer);
  }

  /** What a writer without the secret can write. */
  possibleGarbage(): { readonly name: string; readonly entry: string; readonly garbage: Garbage }[] {
    return [...this.#names].flatMap((name) => {
      const all = this.#first.has(name) ? GARBAGE : UNREADABLE_GARBAGE;
      return all.map((garbage) => ({ name, entry: secretOf(name), garbage }));
    });
  }

  /**
   * Another writer of the store writes there. `MemoryTokenStore` removes a note when an entry is written, so this writer writes
   * nothing while there is a note.
   */
  async write(name: string, garbage: Garbage): Promise<void> {
    const { value, held } = await this.#contentAt(name);
    if (held?.note !== undefined) return;
    this.#changes += 1;
    if (garbage === 'an unreadable lease') {
      const lease = { owner: UNREADABLE, ms: HOUR_MS, insteadOf: held?.holder };
      const unwanted = value === undefined ? undefined : { value, remove: false };
      await this.#memory.claim({ name, lease, unwanted });
      for (const one of this.#leases)
        if (one.entry === secretOf(name)) Object.assign(one, { liveUntil: this.#time.now, isReplaced: true });
      return;
    }
    const written = garbage === 'the first entry' ? (this.#first.get(name) ?? UNREADABLE) : UNREADABLE;
    if (value !== undefined) await this.#memory.claim({ name, unwanted: { value, remove: true } });
    const expiresAt = this.#time.storeWall + HOUR_MS;
    await this.#memory.publish({ name, owner: 'another writer', value: written, expiresAt });
  }

  /** Gives a sealed text its name. */
  label(text: string | undefined, label: string): void {
    if (text !== undefined && !this.#labels.has(text)) this.#labels.set(text, label);
  }

  /** What a sealed text says. Two texts with equal contents differ only in their name. */
  #contentOf(text: string | undefined, name: string): string {
    if (text === undefined) return 'nothing';
    const known = this.#contents.get(text);
    if (known !== undefined) return known;
    const opened = KINDS.map((kind) => places.get(name)?.entry.open(kind, text)).find(
      (content) => content !== undefined,
    );
    const content = `${this.labelOf(text)} ${JSON.stringify([...(opened ?? [])])}`;
    this.#contents.set(text, content);
    return content;
  }

  labelOf(text: string | undefined): string | undefined {
    return text === undefined
      ? undefined
      : (this.#labels.get(text) ?? (text === UNREADABLE ? 'garbage' : 'an unknown text'));
  }

  /** The token in a sealed text. Undefined if the text is no token of this name. */
  tokenIn(name: string, value: string): unknown {
    return places.get(name)?.entry.open('token', value)?.get('token');
  }

  async execute(message: StoreMessage): Promise<{ answer: unknown; publication?: ExecutedPublication }> {
    const { content, process } = message;
    this.#names.add(content.name);
    if (message.kind === 'claim') {
      const { unwanted } = message.content;
      const removes = unwanted?.remove === true && unwanted.value === (await this.#entryAt(content.name));
      const answer = await this.#store.claim(message.content);
      this.#clocks.set(answer, this.#clock);
      if (answer.state === 'leased' || removes) this.#changes += 1;
      this.#countClaim(message.content, answer, message);
      return { answer };
    }
    this.#changes += 1;
    const { owner } = message.content;
    const place = secretOf(content.name);
    const lease = this.#leases.find((one) => one.owner === owner && one.entry === place);
    const hadLease = lease !== undefined && !lease.isReplaced && lease.storedUntil > this.#time.now;
    const entryBefore = await this.#entryAt(content.name);
    const answer = await (message.kind === 'publish'
      ? this.#store.publish(message.content)
      : this.#store.release(message.content));
    this.#leases = this.#leases.filter((one) => one !== lease);
    if (message.kind === 'release') return { answer };
    const entryAfter = await this.#entryAt(content.name);
    if (entryAfter !== undefined && !this.#first.has(content.name)) this.#first.set(content.name, entryAfter);
    const [before, after] = [this.labelOf(entryBefore), this.labelOf(entryAfter)];
    const token = this.tokenIn(content.name, message.content.value);
    return {
      answer,
      publication: { process, hadLease, entryBefore: before, entryAfter: after, entry: place, token },
    };
  }

  /** What the store holds, in words that are equal in each run. */
  async content(): Promise<string> {
    const all: string[] = [];
    for (const name of this.#names) {
      const { value, valueEnds, held } = await this.#contentAt(name);
      const entry = value === undefined ? [] : [this.#contentOf(value, name), valueEnds];
      const lease = held ? [this.#contentOf(held.note ?? held.holder, name), held.expiresAt] : [];
      all.push([secretOf(name), ...entry, ...lease].join(' '));
    }
    const leases = this.#leases
      .filter(({ storedUntil, liveUntil }) => Math.max(storedUntil, liveUntil) > this.#time.now)
      .map(({ name, liveUntil, isReplaced }) => `${name} ${liveUntil} ${isReplaced}`);
    return [this.#time.storeBackMs, ...all.toSorted(), ...leases].join('; ');
  }

  async #contentAt(name: string) {
    const found = await this.#memory.claim({ name });
    if (found.state !== 'found') return { held: found.state === 'held' ? found : undefined };
    const { value, expiresAt: valueEnds } = found;
    const below = await this.#memory.claim({ name, unwanted: { value, remove: false } });
    return { value, valueEnds, held: below.state === 'held' ? below : undefined };
  }

  describe(answer: StoreAnswer): string {
    const { storeBackMs } = this.#time;
    // Processes learn the store's clock from each answer.
    const clock = storeBackMs === 0 ? '' : ` (the store's clock is ${storeBackMs} ms behind)`;
    return `${this.#describeContent(answer)}${clock}`;
  }

  #describeContent(answer: StoreAnswer): string {
    if (answer.state === 'found') return `${this.labelOf(answer.value)} until ${this.#ms(answer.expiresAt)}`;
    if (answer.state === 'held')
      return `${this.labelOf(answer.note ?? answer.holder)} until ${this.#ms(answer.expiresAt)}`;
    return answer.state === 'leased' ? 'it has the lease now' : 'nothing';
  }

  #ms(moment: number): string {
    return `${Math.round((moment - this.#time.storeWall + this.#time.now) * 100) / 100} ms`;
  }

  async #entryAt(name: string): Promise<string | undefined> {
    const found = await this.#memory.claim({ name });
    return found.state === 'found' ? found.value : undefined;
  }

  #countClaim({ name: place, lease }: StoreClaim, answer: StoreAnswer, message: StoreMessage): void {
    if (answer.state !== 'leased' || lease === undefined) return;
    const { process, sentAt, waitedMs, knownClock } = message;
    const { now } = this.#time;
    const entry = secretOf(place);
    const left = this.#leases.filter((one) => Math.max(one.storedUntil, one.liveUntil) > now);
    const { owner, ms } = lease;
    const at = places.get(place);
    const isSent = at && at.entry.openLease(owner)?.isSent;
    for (const one of left) {
      if (one.entry !== entry) continue;
      one.isReplaced = true;
      // A process that has waited out one lease takes over, if the request of the owner is still not sent. A sent request takes over, too.
      const isOver = !one.isSent && waitedMs >= LEASE_MS && now - one.takenAt >= UNSENT_LEASE_MS.shortest;
      if (isSent || isOver) one.liveUntil = now;
    }
    // The others count a lease from the moment that is sealed in it: when the claim was sent, by the clock that its process knew.
    const liveUntil = knownClock === this.#clock ? sentAt + Math.min(ms, LEASE_MS) : now;
    const name = this.labelOf(owner) ?? owner;
    this.#leases = [
      ...left,
      {
        name,
        owner,
        entry,
        process,
        isSent,
        takenAt: sentAt,
        liveUntil,
        storedUntil: now + ms,
        isReplaced: false,
      },
    ];
  }
}
