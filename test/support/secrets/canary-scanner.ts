import { formsOf } from './canary-forms.js';
import { NeedleSearch } from './needle-search.js';
import { type Rendering, renderings } from './renderings.js';
import { walk } from './walk.js';

/** Where a secret was found, and in which form. */
export interface Leak {
  readonly canary: string;
  readonly form: string;
  readonly where: string;
}

/** All leaks of these secrets in a value. */
export function findCanaries(value: unknown, canaries: Readonly<Record<string, string>>): Leak[] {
  return new CanaryScanner(canaries).scan(value);
}

/**
 * Searches any value for secrets: in each text that a logger might make of the value, and in everything that code can
 * reach from the value.
 */
export class CanaryScanner {
  readonly #search = new NeedleSearch<Pick<Leak, 'canary' | 'form'>>();

  constructor(
    canaries: Readonly<Record<string, string>>,
    /** Texts that other loggers make of a value. */
    private readonly furtherRenderings: (value: unknown) => Rendering[] = () => [],
  ) {
    for (const [name, secret] of Object.entries(canaries)) this.add(name, secret);
  }

  /** Adds a secret to the search, for example a token that was issued during the test. */
  add(name: string, secret: string): void {
    for (const { name: form, needles } of formsOf(secret)) {
      const meaning = { canary: name, form };
      for (const needle of needles) this.#search.add(needle, meaning);
    }
  }

  /**
   * All leaks in a value of any type.
   *
   * @param seen the objects that were searched at the same moment.
   */
  scan(value: unknown, name = 'value', seen?: Set<object>): Leak[] {
    const texts = [...renderings(value), ...this.furtherRenderings(value)];
    return [
      ...texts.flatMap(({ how, text }) => this.#inText(`${how}(${name})`, text)),
      ...this.scanReach(value, name, seen),
    ];
  }

  /** All leaks in what code can reach from a value, even if no logger prints it. */
  scanReach(value: unknown, name = 'value', seen?: Set<object>): Leak[] {
    const leaks = new Map<string, Leak>();
    for (const { path, text } of walk(value, name, seen)) {
      for (const leak of this.#inText(path, text)) leaks.set(`${leak.canary} ${path}`, leak);
    }
    return [...leaks.values()];
  }

  /** All leaks in a text. */
  scanText(text: string, name = 'text'): Leak[] {
    return this.#inText(name, text);
  }

  /** One leak for each secret that was found, in the first form that was found. */
  #inText(where: string, text: string): Leak[] {
    if (text.length === 0) return [];
    const leaks = new Map<string, Leak>();
    for (const found of this.#search.in(text.toLowerCase())) {
      if (!leaks.has(found.canary)) leaks.set(found.canary, { ...found, where });
    }
    return [...leaks.values()];
  }
}
