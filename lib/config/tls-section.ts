import type { AnyPair } from '../catalogue/catalogue.js';
import type { SettingNames } from '../errors/setting-names.js';
import { ClientTls, type PemTexts, type TlsFlaw, type TlsSource } from '../net/client-tls.js';
import { MountedFile } from '../secrets/mounted-file.js';
import { belongTogether, flawOfContext, needsPassphrase, openedKey, pemIn } from '../secrets/pem-rules.js';
import { revealed } from '../secrets/secret.js';
import { UnusableValue } from '../secrets/text-rules.js';
import { type Clock, inBackground, systemClock } from '../time/clock.js';
import { settledWithin } from '../time/within.js';
import { isObject, memberOf } from '../values/objects.js';
import { TlsOptions } from './options/environment-options.js';
import { flawOfObject, type Place, read, type Report } from './setting.js';
import type { Validation } from './validation.js';

/** The time that a function of the application has to answer. */
const ANSWER_MS = 5_000;

const PEM_MEMBERS = ['ca', 'cert', 'key'] as const;

/** Where the values of `tls` belong. */
interface TlsPlace {
  readonly at: Place;
  readonly pair: AnyPair;
  readonly path: string;
  readonly names: SettingNames;
}

/** A member of `tls`, and what is wrong with it. */
type MemberFlaw = readonly [member: string, flaw: string];

/**
 * Reads `tls` of an environment: an object, files, or a function. Undefined if nothing is set in it, or something is wrong.
 */
export async function readTls(
  { catalogue, report }: Validation,
  { pair, names }: Pick<TlsPlace, 'pair' | 'names'>,
  environment: object,
  given: unknown,
): Promise<ClientTls | undefined> {
  const path = `interfaces.${pair.interface}.${pair.environment}.tls`;
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
  const hasFiles = PEM_MEMBERS.some((member) => memberOf(tls, member) instanceof MountedFile);
  const source = hasFiles ? changingSource(place, async () => tls) : { pair, cert: names.cert };
  const values = readValues(place, tls, await textsOf(tls), source);
  if (values instanceof ClientTls) return values;
  for (const [member, flaw] of values) report(`${path}.${member}`, flaw);
  return undefined;
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
      try {
        const given = await ask(clock);
        const wrong = flawOfObject(given);
        if (wrong !== undefined) return { setting: path, flaw: wrong };
        const content = await textsOf(given as object);
        if (content.flaws.size === 0 && isCurrent(Object.fromEntries(content.texts))) return undefined;
        const values = readValues(place, given as object, content, source);
        if (values instanceof ClientTls) return values;
        const [[member, flaw] = ['', 'gives no ca, cert or key.']] = values;
        const name = PEM_MEMBERS.find((one) => one === member);
        return { setting: name ? names[name] : [path, member].filter(Boolean).join('.'), flaw };
      } catch {
        const flaw = `cannot be read: its function throws, rejects, or takes more than ${ANSWER_MS / 1000} s. See that it answers.`;
        return { setting: path, flaw };
      }
    },
  };
  return source;
}

/** Checks values that are known. Without any flaw when nothing is set. */
function readValues(
  { at, path, names }: TlsPlace,
  given: object,
  { texts, flaws }: Awaited<ReturnType<typeof textsOf>>,
  source: TlsSource,
): ClientTls | MemberFlaw[] {
  const found: MemberFlaw[] = [];
  const report: Report = (place, flaw) => {
    const member = place.slice(path.length + 1);
    const isFile = memberOf(given, member) instanceof MountedFile;
    // The rules refuse such a member in any case, so its own flaw has its place among those of the other members.
    found.push([member, flaws.get(member) ?? (isFile ? `names a file that ${flaw}` : flaw)]);
  };
  const { passphrase: _, ...values } = read(TlsOptions, given, { path, at, report, texts });
  const [cert, key] = [values.cert?.toString(), values.key?.toString()];
  const [hasCert, hasKey] = ['cert', 'key'].map((member) => texts.has(member) || flaws.has(member));
  // Of a client that needs both, `read` has reported what is missing.
  const isOptional = at.catalogue.entryOf(at.interface ?? '').clientAuth !== 'tls_client_auth';
  if (isOptional && hasCert && !hasKey)
    found.push(['key', `is missing. Set it to the private key of the certificate in ${names.cert}.`]);
  if (isOptional && hasKey && !hasCert)
    found.push(['cert', `is missing. Set it to the certificate of the private key in ${names.key}.`]);
  if (cert !== undefined && key !== undefined && !belongTogether(cert, key))
    found.push(['key', `does not belong to the certificate in ${names.cert}. Set both to the same pair.`]);
  const settings = Object.entries(values).filter(([, value]) => value !== undefined);
  if (found.length > 0 || settings.length === 0) return found;
  let tls: ClientTls | undefined;
  const flaw = flawOfContext(() => {
    tls = new ClientTls(Object.fromEntries(settings), source);
  }, 'Ask for a stronger certificate.');
  return tls ?? [[cert === undefined ? 'ca' : 'cert', String(flaw)]];
}

/** The PEM texts that are set, with the key opened, and the flaws of files that cannot be read and of a wrong passphrase. */
async function textsOf(given: object) {
  const texts = new Map<string, unknown>();
  const flaws = new Map<string, string>();
  for (const member of PEM_MEMBERS) {
    const value = memberOf(given, member);
    try {
      const text = value instanceof MountedFile ? await value.read() : pemIn(value);
      if (text !== undefined) texts.set(member, text);
    } catch (error) {
      if (!(error instanceof UnusableValue)) throw error;
      flaws.set(member, error.message);
    }
  }
  const key = texts.get('key');
  if (typeof key === 'string') {
    const opened = openedKey(key, revealed(memberOf(given, 'passphrase')));
    texts.set('key', opened);
    if (needsPassphrase(opened) && memberOf(given, 'passphrase') !== undefined)
      flaws.set('key', 'contains a private key that needs another passphrase. Correct passphrase in tls.');
  }
  return { texts, flaws };
}
