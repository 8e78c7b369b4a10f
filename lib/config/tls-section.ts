import { ClientTls, type PemTexts } from '../net/client-tls.js';
import type { HttpSettings } from './options/profile.js';
import type { ProviderTransport } from './options/provider-transport.js';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';
import { PemFile } from './secret-sources/pem-file.js';
import { belongTogether, flawOfAuthorities, flawOfCertificate, flawOfKey } from './rules/pem-rules.js';
import { revealed } from './secret-sources/secret-sources.js';
import { safely } from '../values/safely.js';
import { type Flaw, kindOf } from './rules/text-rules.js';

const RULES = { ca: flawOfAuthorities, cert: flawOfCertificate, key: flawOfKey } as const;

type Member = keyof typeof RULES;

const MEMBERS = Object.keys(RULES) as Member[];

/** `tls` of one environment, as it was read. */
export interface TlsReading {
  /** Whether anything is set in it, right or wrong. */
  readonly isSet: boolean;
  /** Undefined when nothing is set, or something is wrong. */
  readonly tls: ClientTls | undefined;
  /** What its members are called where their values came from, or would come from. */
  readonly names: Readonly<Record<Member, string>>;
}

export function readTls(environment: OptionsNode): TlsReading {
  const node = environment.child('tls');
  const names = namesIn(environment, node);
  node?.refuseUnknown(MEMBERS);
  const given = node === undefined ? [] : MEMBERS.filter((member) => node.has(member));
  if (node === undefined || given.length === 0) return { isSet: false, tls: undefined, names };
  const texts = given.flatMap((member) => {
    const text = textIn(node, member);
    return text === undefined ? [] : [[member, text] as const];
  });
  const pem: PemTexts = Object.fromEntries(texts);
  const isWhole = isPairWhole(node, pem, names);
  return {
    isSet: true,
    tls: isWhole && texts.length === given.length ? clientTls(node, pem) : undefined,
    names,
  };
}

/**
 * Refuses `tls` beside an agent, or beside a transport that has certificates. Both set the certificates of all connections,
 * and `tls` sets those of one pair: it would not be clear which of them a connection uses. Refuses it also with a transport
 * that does not use it: requests would trust other authorities, and bring no client certificate.
 */
export function refuseTlsBesideOthers(
  environments: readonly OptionsNode[],
  { httpsAgent, transport }: Pick<HttpSettings, 'httpsAgent' | 'transport'>,
): void {
  const flaw = httpsAgent === undefined ? transport && flawBeside(transport) : besides('http.httpsAgent');
  if (flaw === undefined) return;
  for (const environment of environments) environment.refuse('tls', flaw);
}

function flawBeside(transport: ProviderTransport): Flaw {
  const [hasOwnTls, usesTls] = (['hasOwnTls', 'usesTls'] as const).map((member) =>
    safely(() => transport[member] === true, false),
  );
  if (hasOwnTls) return besides('ca, cert or key of http.transport');
  return usesTls
    ? undefined
    : 'is set, but http.transport does not use it: its usesTls is not true. Use undiciTransport(), or let the transport use the tls that open() gets, and set usesTls to true.';
}

function besides(other: string): string {
  return `is set beside ${other}, and only one of them can be right. Keep one, remove the other.`;
}

/** The PEM text of a member; undefined if something is wrong with it, which is a problem at once. */
function textIn(node: OptionsNode, member: Member): string | undefined {
  const value = node.read(member);
  if (value === UNREADABLE) return undefined;
  const reading = value instanceof PemFile ? value.read() : readingOf(value);
  const flaw = 'flaw' in reading ? reading.flaw : inFile(value, RULES[member](reading.text));
  if (flaw === undefined && 'text' in reading) return reading.text;
  if (flaw !== undefined) node.refuse(member, flaw);
  return undefined;
}

/** A Buffer, a text, or a `Secret` of one. */
function readingOf(value: unknown): ReturnType<PemFile['read']> {
  const text = safely(() => (value instanceof Uint8Array ? latin1Of(value) : revealed(value)), undefined);
  return typeof text === 'string'
    ? { text }
    : { flaw: `must be a PEM text or a Buffer, not ${kindOf(value)}.` };
}

/** Without a copy, which would be in memory that buffers share (S10). */
function latin1Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

function inFile(value: unknown, flaw: Flaw): Flaw {
  return flaw !== undefined && value instanceof PemFile ? `names a file that ${flaw}` : flaw;
}

/** A certificate and its key are of no use without each other. */
function isPairWhole(node: OptionsNode, { cert, key }: PemTexts, names: TlsReading['names']): boolean {
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

/** OpenSSL refuses more than the rules do, such as a key that is too short for its security level. */
function clientTls(node: OptionsNode, pem: PemTexts): ClientTls | undefined {
  try {
    return new ClientTls(pem);
  } catch (error) {
    const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
    const reason = typeof code === 'string' && /^ERR_\w{1,64}$/.test(code) ? ` (${code})` : '';
    node.refuse(
      pem.cert === undefined ? 'ca' : 'cert',
      `is refused by OpenSSL${reason}. Ask for a stronger certificate.`,
    );
    return undefined;
  }
}

function namesIn(environment: OptionsNode, node: OptionsNode | undefined): TlsReading['names'] {
  const nameOf = (member: Member): string => {
    const path = `${environment.pathOf('tls')}.${member}`;
    return node?.nameOf(member) ?? environment.origin?.variableOf(path, undefined) ?? path;
  };
  return { ca: nameOf('ca'), cert: nameOf('cert'), key: nameOf('key') };
}
