import type { AnyPair } from '../catalogue/catalogue.js';
import type { ClientTls, PemTexts, TlsFlaw, TlsSource } from '../net/client-tls.js';
import { systemClock, type TimerKind } from '../time/clock.js';
import { settledWithin } from '../time/within.js';
import { OptionsNode } from './options-node.js';
import { ProblemList } from './problem-list.js';
import { PemFile, readPem } from './secret-sources/pem-file.js';
import { SETTINGS } from './table/settings.js';

export type TlsMember = keyof typeof SETTINGS.tls;

export const TLS_MEMBERS = Object.keys(SETTINGS.tls) as TlsMember[];

/** The time that a function of the application has to answer. */
const ANSWER_MS = 5_000;

interface Place {
  readonly pair: AnyPair;
  /** Of `tls` in the options. */
  readonly path: string;
  /** What each member is called where its value came from. */
  readonly names: Readonly<Record<TlsMember, string>>;
  /** Checks what was read, and adds each problem to the list of the node. */
  readonly check: (node: OptionsNode, source: TlsSource) => ClientTls | undefined;
}

type Given = Readonly<Partial<Record<TlsMember, unknown>>>;

/** The values of `tls`, from files or from a function. Both can change while the application runs (B34). */
export class ChangingTlsSource implements TlsSource {
  readonly pair: AnyPair;
  readonly cert: string;
  readonly #place: Place;
  readonly #given: Given | (() => unknown);

  constructor(place: Place, given: Given | (() => unknown)) {
    this.pair = place.pair;
    this.cert = place.names.cert;
    this.#place = place;
    this.#given = given;
  }

  /** @param kind the boot waits for the answer. */
  async read(
    isCurrent: (pem: PemTexts) => boolean,
    kind: TimerKind = 'background',
  ): Promise<ClientTls | TlsFlaw | undefined> {
    const { path, names, check } = this.#place;
    let given: unknown;
    try {
      given = await this.#read(kind);
    } catch {
      const flaw = `cannot be read: its function throws, rejects, or takes more than ${ANSWER_MS / 1000} s. See that it answers.`;
      return { setting: path, flaw };
    }
    const problems = new ProblemList();
    const node = OptionsNode.root(given, problems, { label: path, path });
    if (node && isCurrent(textsIn(node))) return undefined;
    const tls = node && check(node, this);
    if (tls && problems.isEmpty) return tls;
    const [problem] = problems.toError().problems;
    const name = TLS_MEMBERS.find((member) => problem?.path === `${path}.${member}`);
    return {
      setting: name ? names[name] : (problem?.path ?? path),
      flaw: problem?.message ?? 'gives no ca, cert or key.',
    };
  }

  #read(kind: TimerKind): Promise<unknown> {
    const given = this.#given;
    if (typeof given !== 'function') return withTexts(given);
    return settledWithin(ANSWER_MS, (async () => given())(), systemClock, kind);
  }
}

/** A file that cannot be read stays in its place: the check of the file says what is wrong with it. */
async function withTexts(given: Given): Promise<Given> {
  const texts = Object.entries(given).map(async ([member, value]) => {
    const reading = value instanceof PemFile ? await value.readAgain() : undefined;
    return [member, reading && 'text' in reading ? reading.text : value] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

function textsIn(node: OptionsNode): PemTexts {
  const texts = TLS_MEMBERS.flatMap((member) => {
    const reading = node.has(member) ? readPem(node.read(member)) : undefined;
    return reading && 'text' in reading ? [[member, reading.text] as const] : [];
  });
  return Object.fromEntries(texts);
}
