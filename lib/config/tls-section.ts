import type { AnyPair, Catalogue } from '../catalogue/catalogue.js';
import { ClientTls, type PemTexts, type TlsSource } from '../net/client-tls.js';
import { safely } from '../values/safely.js';
import { readSettings } from './option-shape.js';
import type { OptionsNode } from './options-node.js';
import type { HttpSettings } from './options/profile.js';
import type { ProviderTransport } from './options/provider-transport.js';
import { belongTogether } from './rules/pem-rules.js';
import type { Flaw } from './rules/text-rules.js';
import { PemFile, readPem } from './secret-sources/pem-file.js';
import { needOf } from './table/setting.js';
import { SETTINGS } from './table/settings.js';
import { ChangingTlsSource, TLS_MEMBERS, type TlsMember } from './tls-source.js';

type Names = Readonly<Record<TlsMember, string>>;

/** `tls` of one environment, as it was read. */
interface TlsReading {
  /** Whether anything is set in it, right or wrong. */
  readonly isSet: boolean;
  /** Undefined when nothing is set, or something is wrong. */
  readonly tls: ClientTls | undefined;
  /** What its members are called where their values came from, or would come from. */
  readonly names: Names;
}

/** @param pair for later log lines. */
export async function readTls(
  catalogue: Catalogue,
  pair: AnyPair,
  environment: OptionsNode,
): Promise<TlsReading> {
  const given = environment.read('tls');
  const path = environment.pathOf('tls');
  if (typeof given === 'function') {
    const names = namesIn(environment, undefined);
    const place = { pair, path, names, check: checkIn(catalogue, names, pair.interface) };
    const first = await new ChangingTlsSource(place, environment.method(given)).read(() => false, 'awaited');
    if (first instanceof ClientTls) return { isSet: true, tls: first, names };
    environment.refuse('tls', `is a function whose answer cannot be used: ${first?.setting} ${first?.flaw}`);
    return { isSet: true, tls: undefined, names };
  }
  const isRequired =
    needOf(SETTINGS.environment.tls, { catalogue, interface: pair.interface }) === 'required';
  const isGiven = environment.has('tls') || !isRequired;
  const node = isGiven ? environment.child('tls') : environment.section('tls');
  const names = namesIn(environment, node);
  if (node === undefined) return { isSet: false, tls: undefined, names };
  if (isRequired && !node.has('cert') && !node.has('key'))
    for (const member of ['cert', 'key'])
      node.refuse(member, 'is missing. This client authenticates with its TLS certificate.');
  const check = checkIn(catalogue, names, pair.interface);
  const members = Object.fromEntries(TLS_MEMBERS.map((member) => [member, node.read(member)]));
  const values = Object.values(members);
  const source = values.some((value) => value instanceof PemFile)
    ? new ChangingTlsSource({ pair, path, names, check }, members)
    : { pair, cert: names.cert };
  return { isSet: values.some((value) => value !== undefined), tls: check(node, source), names };
}

/** Checks values that are known. Undefined when nothing is set, or something is wrong. */
function checkIn(catalogue: Catalogue, names: Names, of: string) {
  return (node: OptionsNode, source: TlsSource): ClientTls | undefined => {
    const { values, isRight } = readSettings(node, SETTINGS.tls, { catalogue, interface: of });
    const given = TLS_MEMBERS.filter((member) => node.has(member));
    if (given.length === 0) return undefined;
    const texts = given.flatMap((member) => {
      const text = values[member] === undefined ? undefined : textIn(node, member, values[member]);
      return text === undefined ? [] : [[member, text] as const];
    });
    const pem: PemTexts = Object.fromEntries(texts);
    const isWhole = isPairWhole(node, pem, names) && isRight && texts.length === given.length;
    return isWhole ? clientTls(node, pem, source) : undefined;
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

/** A file is read once more after its check, and may have changed. */
function textIn(node: OptionsNode, member: TlsMember, value: unknown): string | undefined {
  const reading = readPem(value);
  if ('text' in reading) return reading.text;
  node.refuse(member, reading.flaw);
  return undefined;
}

/** A certificate and its key are of no use without each other. */
function isPairWhole(node: OptionsNode, { cert, key }: PemTexts, names: Names): boolean {
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
function clientTls(node: OptionsNode, pem: PemTexts, source: TlsSource): ClientTls | undefined {
  try {
    return new ClientTls(pem, source);
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

function namesIn(environment: OptionsNode, node: OptionsNode | undefined): Names {
  const nameOf = (member: TlsMember): string => {
    const path = `${environment.pathOf('tls')}.${member}`;
    return node?.nameOf(member) ?? environment.origin?.variableOf(path, undefined) ?? path;
  };
  return { ca: nameOf('ca'), cert: nameOf('cert'), key: nameOf('key') };
}
