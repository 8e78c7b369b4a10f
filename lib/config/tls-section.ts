import type { AnyPair, Catalogue } from '../catalogue/catalogue.js';
import { ClientTls, type PemTexts, type TlsFlaw, type TlsSource } from '../net/client-tls.js';
import { settledWithin } from '../time/within.js';
import { safely } from '../values/safely.js';
import { readSettings } from './read-rows.js';
import { OptionsNode } from './options-node.js';
import type { HttpSettings } from './options/profile.js';
import type { ProviderTransport } from './options/provider-transport.js';
import { ProblemList } from './problem-list.js';
import { belongTogether, flawOfContext } from './rules/pem-rules.js';
import { type Flaw, flawOfTwo } from './rules/text-rules.js';
import { MountedFile, readPem } from './secret-sources/mounted-file.js';
import { needOf } from './table/setting.js';
import { SETTINGS } from './table/settings.js';

type TlsMember = keyof typeof SETTINGS.tls;

const TLS_MEMBERS = Object.keys(SETTINGS.tls) as TlsMember[];

/** The time that a function of the application has to answer. */
const ANSWER_MS = 5_000;

/** What the members of `tls` are called where their values came from, or would come from. */
type Names = Readonly<Record<TlsMember, string>>;

/** Where the values of `tls` belong, and what checks them. */
interface Place {
  readonly catalogue: Catalogue;
  readonly pair: AnyPair;
  readonly path: string;
  readonly names: Names;
}

/** `isSet` says whether anything is set in `tls`, right or wrong. There is no `tls` if nothing is set, or something is wrong. */
export async function readTls(catalogue: Catalogue, pair: AnyPair, environment: OptionsNode) {
  const place = { catalogue, pair, path: environment.pathOf('tls') };
  const value = environment.read('tls');
  if (typeof value === 'function') {
    const names = namesIn(environment, undefined);
    const ask = environment.bound(value) as () => unknown;
    const source = changingSource({ ...place, names }, () => settledWithin(ANSWER_MS, (async () => ask())()));
    const first = await source.read(() => false);
    if (first instanceof ClientTls) return { isSet: true, tls: first, names };
    environment.refuse('tls', `is a function whose answer cannot be used: ${first?.setting} ${first?.flaw}`);
    return { isSet: true, tls: undefined, names };
  }
  const isRequired =
    needOf(SETTINGS.environment.tls, { catalogue, interface: pair.interface }) === 'required';
  const node = value === undefined && isRequired ? environment.section('tls') : environment.child('tls');
  const names = namesIn(environment, node);
  if (node === undefined) return { isSet: false, tls: undefined, names };
  const members = TLS_MEMBERS.map((member) => [member, node.read(member)] as const);
  const source = members.some(([, value]) => MountedFile.is(value))
    ? changingSource({ ...place, names }, () => withTexts(members))
    : { pair, cert: names.cert };
  const isSet = members.some(([, value]) => value !== undefined);
  return { isSet, tls: checked({ ...place, names }, node, source), names };
}

function namesIn(environment: OptionsNode, node: OptionsNode | undefined): Names {
  const nameOf = (member: TlsMember): string => {
    const path = `${environment.pathOf('tls')}.${member}`;
    return node?.nameOf(member) ?? environment.origin?.variableOf(path, undefined) ?? path;
  };
  return { ca: nameOf('ca'), cert: nameOf('cert'), key: nameOf('key') };
}

/** The values of `tls`, from files or from a function. Both can change while the application runs (B34). */
function changingSource(place: Place, ask: () => Promise<unknown>) {
  const { pair, path, names } = place;
  const source = {
    pair,
    cert: names.cert,
    async read(isCurrent: (pem: PemTexts) => boolean): Promise<ClientTls | TlsFlaw | undefined> {
      let answer: unknown;
      try {
        answer = await ask();
      } catch {
        const flaw = `cannot be read: its function throws, rejects, or takes more than ${ANSWER_MS / 1000} s. See that it answers.`;
        return { setting: path, flaw };
      }
      const problems = new ProblemList();
      const node = OptionsNode.root(answer, problems, { label: path, path });
      if (node && isCurrent(textsIn(node))) return undefined;
      const tls = node && checked(place, node, source);
      if (tls && problems.isEmpty) return tls;
      const [problem] = problems.toError().problems;
      const name = TLS_MEMBERS.find((member) => problem?.path === `${path}.${member}`);
      return {
        setting: name ? names[name] : (problem?.path ?? path),
        flaw: problem?.message ?? 'gives no ca, cert or key.',
      };
    },
  };
  return source;
}

/** A file that cannot be read stays in its place: the check of the file says what is wrong with it. */
async function withTexts(members: readonly (readonly [TlsMember, unknown])[]): Promise<object> {
  const texts = members.map(async ([member, value]) => {
    const reading = MountedFile.is(value) ? await value.readAgain() : undefined;
    return [member, reading && 'text' in reading ? reading.text : value] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** A file is read once more after its check, and may have changed. */
function textsIn(node: OptionsNode, members: readonly TlsMember[] = given(node)): PemTexts {
  const texts = members.flatMap((member) => {
    const reading = readPem(node.read(member));
    if ('text' in reading) return [[member, reading.text] as const];
    node.refuse(member, reading.flaw);
    return [];
  });
  return Object.fromEntries(texts);
}

function given(node: OptionsNode): TlsMember[] {
  return TLS_MEMBERS.filter((member) => node.has(member));
}

/** Checks values that are known. Undefined when nothing is set, or something is wrong. */
function checked(
  { catalogue, pair, names }: Place,
  node: OptionsNode,
  source: TlsSource,
): ClientTls | undefined {
  const place = { catalogue, interface: pair.interface };
  const { values } = readSettings(node, SETTINGS.tls, place);
  if (needOf(SETTINGS.tls.cert, place) === 'required' && !node.has('cert') && !node.has('key'))
    for (const member of ['cert', 'key'])
      node.refuse(member, 'is missing. This client authenticates with its TLS certificate.');
  const members = given(node);
  if (members.length === 0) return undefined;
  const right = members.filter((member) => values[member] !== undefined);
  const pem = textsIn(node, right);
  const isWhole = isPairWhole(node, pem, names) && Object.keys(pem).length === members.length;
  return isWhole ? clientTls(node, pem, source) : undefined;
}

/** @param pem the texts of both, if they could be read. */
export function isPairWhole(node: OptionsNode, { cert, key }: PemTexts, names: Omit<Names, 'ca'>): boolean {
  const [hasCert, hasKey] = [node.has('cert'), node.has('key')];
  if (hasCert && !hasKey)
    node.refuse('key', `is missing. Set it to the private key of the certificate in ${names.cert}.`);
  if (hasKey && !hasCert)
    node.refuse('cert', `is missing. Set it to the certificate of the private key in ${names.key}.`);
  if (cert === undefined || key === undefined) return hasCert === hasKey;
  const isRight = belongTogether(cert, key);
  if (!isRight)
    node.refuse('key', `does not belong to the certificate in ${names.cert}. Set both to the same pair.`);
  return isRight;
}

function clientTls(node: OptionsNode, pem: PemTexts, source: TlsSource): ClientTls | undefined {
  let tls: ClientTls | undefined;
  const flaw = flawOfContext(() => {
    tls = new ClientTls(pem, source);
  }, 'Ask for a stronger certificate.');
  if (flaw !== undefined) node.refuse(pem.cert === undefined ? 'ca' : 'cert', flaw);
  return tls;
}

/**
 * Refuses `tls` beside an agent or a transport with its own certificates, because it would not be clear which of them a connection
 * uses. A transport that does not use it would trust other authorities, and bring no client certificate.
 */
export function refuseTlsBesideOthers(
  environments: readonly OptionsNode[],
  { httpsAgent, transport }: Pick<HttpSettings, 'httpsAgent' | 'transport'>,
): void {
  const flaw = httpsAgent === undefined ? transport && flawBeside(transport) : flawOfTwo('http.httpsAgent');
  if (flaw === undefined) return;
  for (const environment of environments) environment.refuse('tls', flaw);
}

/** With an agent, `tls` is refused, so advice names the agent's options. A transport sends its requests without the agent. */
export function tlsNamesBeside({
  httpsAgent,
  transport,
}: Pick<HttpSettings, 'httpsAgent' | 'transport'>): Names | undefined {
  if (httpsAgent === undefined) return undefined;
  const owner = transport ? 'http.httpsAgent and of http.transport' : 'http.httpsAgent';
  return { ca: `ca of ${owner}`, cert: `cert of ${owner}`, key: `key of ${owner}` };
}

function flawBeside(transport: ProviderTransport): Flaw {
  const [hasOwnTls, usesTls] = (['hasOwnTls', 'usesTls'] as const).map((member) =>
    safely(() => transport[member] === true, false),
  );
  if (hasOwnTls)
    return 'is set together with ca, cert or key of http.transport. Keep tls, which is for token requests too, and remove those options of the transport (connect of undiciTransport).';
  return usesTls
    ? undefined
    : 'is set, but http.transport does not use it: its usesTls is not true. Use undiciTransport(), or let the transport use the tls that open() gets, and set usesTls to true.';
}
