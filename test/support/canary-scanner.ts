import { type CanaryForm, formsOf } from './canary-forms.js';
import { renderings } from './renderings.js';
import { walk } from './walk.js';

/** Where a secret was found, and in which form. */
export interface Leak {
  readonly canary: string;
  readonly form: string;
  readonly where: string;
}

/** All leaks of these secrets in a value; none is an empty list. */
export function findCanaries(value: unknown, canaries: Readonly<Record<string, string>>): Leak[] {
  return new CanaryScanner(canaries).scan(value);
}

/**
 * Looks for secrets in anything: in every text that a logger might make of a value, and in everything that code can
 * reach from it.
 */
export class CanaryScanner {
  readonly #canaries = new Map<string, readonly CanaryForm[]>();

  constructor(canaries: Readonly<Record<string, string>>) {
    for (const [name, secret] of Object.entries(canaries)) this.add(name, secret);
  }

  /** One more secret to look for, such as a token that was issued during the test. */
  add(name: string, secret: string): void {
    this.#canaries.set(name, formsOf(secret));
  }

  /** All leaks in a value, whatever it is; none is an empty list. */
  scan(value: unknown, name = 'value'): Leak[] {
    const leaks = new Map<string, Leak>();
    const look = (where: string, text: string): void => {
      for (const leak of this.#inText(where, text)) leaks.set(`${leak.canary} ${leak.form} ${where}`, leak);
    };
    for (const { how, text } of renderings(value)) look(`${how}(${name})`, text);
    for (const { path, text } of walk(value, name)) look(path, text);
    return [...leaks.values()];
  }

  /** All leaks in a text. */
  scanText(text: string, name = 'text'): Leak[] {
    return this.#inText(name, text);
  }

  #inText(where: string, text: string): Leak[] {
    if (text.length === 0) return [];
    const lower = text.toLowerCase();
    const leaks: Leak[] = [];
    for (const [canary, forms] of this.#canaries) {
      const found = forms.find(({ needles }) => needles.some((needle) => lower.includes(needle)));
      if (found) leaks.push({ canary, form: found.name, where });
    }
    return leaks;
  }
}
