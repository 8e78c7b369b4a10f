import { readFileSync, type Stats, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { safely } from '../../values/safely.js';
import { type Flaw, kindOf } from '../rules/text-rules.js';
import { flawOfReading } from './secret-file.js';
import { revealed } from './secret-sources.js';

/** The bundle of all public authorities has about 250 KiB. A longer file is another file. */
const LONGEST_PEM_FILE = 1024 * 1024;

/** A PEM text, or what is wrong with the value. */
type PemReading = { readonly text: string } | { readonly flaw: string };

/** A file that holds certificates or a key. The file is read when the application starts, and again while it runs (B34). */
export class PemFile {
  readonly #file: string;

  constructor(file: string) {
    // Relative to where the process was started, also if it moves later.
    this.#file = resolve(file);
    Object.freeze(this);
  }

  read(): PemReading {
    try {
      // For any other encoding, Node first reads the bytes into memory that buffers share (S10).
      return flawOfStat(statSync(this.#file)) ?? { text: readFileSync(this.#file, 'utf8') };
    } catch (error) {
      return { flaw: flawOfReading(error) };
    }
  }

  /** The same without blocking other requests. */
  async readAgain(): Promise<PemReading> {
    try {
      return flawOfStat(await stat(this.#file)) ?? { text: await readFile(this.#file, 'utf8') };
    } catch (error) {
      return { flaw: flawOfReading(error) };
    }
  }
}

function flawOfStat(status: Stats): PemReading | undefined {
  if (!status.isFile()) return { flaw: 'names something that is not a file. Name a PEM file.' };
  if (status.size > LONGEST_PEM_FILE) return { flaw: 'names a file that is far too long. Name a PEM file.' };
  return undefined;
}

/** The PEM text of a file, a Buffer, a text, or a `Secret` of one. */
export function readPem(value: unknown): PemReading {
  if (isPemFile(value)) return value.read();
  const text = safely(() => (value instanceof Uint8Array ? latin1Of(value) : revealed(value)), undefined);
  return typeof text === 'string'
    ? { text }
    : { flaw: `must be a PEM text or a Buffer, not ${kindOf(value)}.` };
}

/** A proxy of the application may throw when its prototype is read. */
function isPemFile(value: unknown): value is PemFile {
  return safely(() => value instanceof PemFile, false);
}

/** Checks the PEM text of a value with a rule. */
export function flawOfPem(rule: (text: string) => Flaw) {
  return (value: unknown): Flaw => {
    // `readTls` knows whether the value is missing.
    if (value === undefined) return undefined;
    const reading = readPem(value);
    if ('flaw' in reading) return reading.flaw;
    const flaw = rule(reading.text);
    return flaw !== undefined && value instanceof PemFile ? `names a file that ${flaw}` : flaw;
  };
}

/** Without a copy, which would be in memory that buffers share (S10). */
function latin1Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}
