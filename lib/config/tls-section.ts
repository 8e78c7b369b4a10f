import type { AnyPair } from '../catalogue/catalogue.js';
import { ClientTls, type PemTexts, type TlsFlaw, type TlsSource } from '../net/client-tls.js';
import { revealed } from '../secrets/secret.js';
import { type Clock, inBackground, systemClock } from '../time/clock.js';
import { settledWithin } from '../time/within.js';
import { isObject } from '../values/is-object.js';
import { memberOf } from '../values/member-of.js';
import { TlsOptions } from './options/environment-options.js';
import { belongTogether, flawOfContext, openedKey } from '../secrets/pem-rules.js';
import { MountedFile, readPem } from '../secrets/mounted-file.js';
import { declaredIn, flawOfObject, type Place, read, type Report } from './setting.js';
import type { Validation } from './validation.js';

/** The time that a function of the application has to answer. */
const ANSWER_MS = 5_000;

const PEM_MEMBERS = ['ca', 'cert', 'key'] as const;
const MEMBERS = [...declaredIn(TlsOptions).keys()];

/** What the members of `tls` are called where their values came from, or would come from. */
type Names = Readonly<Record<(typeof PEM_MEMBERS)[number], string>>;

/** Where the values of `tls` belong. */
interface TlsPlace {
  readonly at: Required<Place>;
  readonly pair: AnyPair;
  readonly path: string;
  readonly names: Names;
}

/**
 * Reads `tls` of an environment: an object, files, or a function. Undefined if nothing is set in it, or something is wrong.
 */
export async function readTls(
  validation: Validation,
  pair: AnyPair,
  environment: object,
  given: unknown,
): Promise<ClientTls | undefined> {
  const { catalogue, report, nameOf } = validation;
  const path = `interfaces.${pair.interface}.${pair.environment}.tls`;
  const names = { ca: nameOf(`${path}.ca`), cert: nameOf(`${path}.cert`), key: nameOf(`${path}.key`) };
  const place = { at: { catalogue, interface: pair.interface }, pair, path, names };
  if (typeof given === 'function') {
    const ask = async (): Promise<unknown> => Reflect.apply(given, environment, []) as unknown;
    const source = changingSource(place, (clock) => settledWithin(ANSWER_MS, ask(), clock));
    // The boot waits for the answer.
    const first = await source.read(() => false, systemClock);
    if (first instanceof ClientTls) return first;
    report(path, `is a function whose answer cannot be used: ${first?.setting} ${first?.flaw}`);
    return undefined;
  }
  const tls = isObject(given) ? given : {};
  const values = valuesIn(tls);
  const source = values.some(([, value]) => value instanceof MountedFile)
    ? changingSource(place, () => withTexts(values))
    : { pair, cert: names.cert };
  return checked(place, tls, source, report);
}

function valuesIn(tls: object) {
  return MEMBERS.map((member) => [member, memberOf(tls, member)] as const);
}

/** The values of `tls`, from files or from a function. Both can change while the application runs. */
function changingSource(place: TlsPlace, ask: (clock: Clock) => Promise<unknown>) {
  const { pair, path, names } = place;
  const source = {
    pair,
    cert: names.cert,
    async read(
      isCurrent: (pem: PemTexts) => boolean,
      clock = inBackground(systemClock),
    ): Promise<ClientTls | TlsFlaw | undefined> {
      const flaws: TlsFlaw[] = [];
      const report: Report = (at, flaw) => {
        const name = PEM_MEMBERS.find((member) => at === `${path}.${member}`);
        flaws.push({ setting: name ? names[name] : at, flaw });
      };
      try {
        const given = (await ask(clock)) as object;
        const wrong = flawOfObject(given);
        if (wrong !== undefined) return { setting: path, flaw: wrong };
        if (isCurrent(textsIn(Object.fromEntries(valuesIn(given))))) return undefined;
        const tls = checked(place, given, source, report);
        return tls ?? flaws[0] ?? { setting: path, flaw: 'gives no ca, cert or key.' };
      } catch {
        const flaw = `cannot be read: its function throws, rejects, or takes more than ${ANSWER_MS / 1000} s. See that it answers.`;
        return { setting: path, flaw };
      }
    },
  };
  return source;
}

/** A file that cannot be read stays in its place: the check of the file says what is wrong with it. */
async function withTexts(members: readonly (readonly [string, unknown])[]): Promise<object> {
  const texts = members.map(async ([member, value]) => {
    const reading = value instanceof MountedFile ? await value.readAgain() : undefined;
    return [member, reading && 'text' in reading ? reading.text : value] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** A file is read once more after its check, and may have changed. */
function textsIn(
  values: Readonly<Record<string, unknown>>,
  report?: (member: string, flaw: string) => void,
): PemTexts {
  const texts = PEM_MEMBERS.flatMap((member) => {
    const value = values[member];
    if (value === undefined) return [];
    const reading = readPem(value);
    if ('flaw' in reading) {
      report?.(member, reading.flaw);
      return [];
    }
    const text = member === 'key' ? openedKey(reading.text, revealed(values['passphrase'])) : reading.text;
    if (text !== undefined) return [[member, text] as const];
    const flaw =
      'contains a private key that needs another passphrase. Set passphrase in tls, or store the key without one.';
    report?.(member, value instanceof MountedFile ? `names a file that ${flaw}` : flaw);
    return [];
  });
  return Object.fromEntries(texts);
}

/** Checks values that are known. Undefined when nothing is set, or something is wrong. */
function checked(
  { at, path, names }: TlsPlace,
  given: object,
  source: TlsSource,
  reportTo: Report,
): ClientTls | undefined {
  let isRight = true;
  const report: Report = (place, flaw) => {
    isRight = false;
    reportTo(place, flaw);
  };
  const refuse = (member: string, flaw: string): void => report(`${path}.${member}`, flaw);
  const values = read(TlsOptions, given, { path, at, report });
  const { servername, minVersion, ciphers } = values;
  const pem = textsIn(Object.fromEntries(Object.entries(values)), refuse);
  const [hasCert, hasKey] = ['cert', 'key'].map((member) => memberOf(given, member) !== undefined);
  if (at.catalogue.entryOf(at.interface).clientAuth === 'tls_client_auth' && !hasCert && !hasKey)
    for (const member of ['cert', 'key'])
      refuse(member, 'is missing. This client authenticates with its TLS certificate.');
  if (hasCert && !hasKey)
    refuse('key', `is missing. Set it to the private key of the certificate in ${names.cert}.`);
  if (hasKey && !hasCert)
    refuse('cert', `is missing. Set it to the certificate of the private key in ${names.key}.`);
  if (pem.cert !== undefined && pem.key !== undefined && !belongTogether(pem.cert, pem.key))
    refuse('key', `does not belong to the certificate in ${names.cert}. Set both to the same pair.`);
  const settings = Object.entries({ ...pem, servername, minVersion, ciphers }).filter(([, value]) => value);
  if (!isRight || settings.length === 0) return undefined;
  let tls: ClientTls | undefined;
  const flaw = flawOfContext(() => {
    tls = new ClientTls(Object.fromEntries(settings), source);
  }, 'Ask for a stronger certificate.');
  if (flaw !== undefined) refuse(pem.cert === undefined ? 'ca' : 'cert', flaw);
  return tls;
}

/** With an agent, `tls` is refused, so advice names the options of the agent. */
export const NAMES_WITH_AGENT: Names = {
  ca: 'ca of http.httpsAgent',
  cert: 'cert of http.httpsAgent',
  key: 'key of http.httpsAgent',
};
