import { base64Cores } from '../../secrets/credential-forms.js';
import { REDACTED } from '../../secrets/secret.js';
import { MOST_LAYERS, unescaped, withoutLayer, withoutNuls } from '../../secrets/unescaped-text.js';
import { unpooledText } from '../../secrets/unpooled-buffer.js';

/** The characters of bearer tokens (RFC 6750), and the characters of their escapes. */
const PARTS = String.raw`\0A-Za-z0-9._~+/=%&#;\\\-`;

/** A shorter token is searched only as a whole and as text, because its parts and its dumps could be ordinary words. */
const SHORTEST_WITH_DUMPS = 16;

/** A server may cut off the rest. */
const LEAST_SHARE = 0.75;

/** So many characters from the start of a token are no coincidence. The limit keeps the search linear for a token of one letter. */
const MOST_NEEDED = 512;

/** What is left of a token without what looks like escapes. A shorter start of it could be part of any word. */
const SHORTEST_INNER = 4;

/** A longer run of escapes and letters is dropped. */
const LONGEST_ESCAPED_RUN = 1024 * 1024;

const ESCAPE_CHARACTERS = /[\\%&\0]/;

interface Form {
  readonly text: string;
  readonly least: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Removes one token from texts: as it is, escaped (percent-encoding, JSON, HTML, also one inside another), in base64 or in
 * hexadecimal digits, in UTF-16, and without its last quarter. The work is linear in the length of the text (B28).
 *
 * The text is searched in runs of characters that may belong to a token or to an escape. If the token shows only after
 * escapes are removed, the whole run is replaced by what is left without these escapes.
 */
export class TokenSearch {
  readonly #token: string;
  readonly #least: number;
  #runs: { readonly start: RegExp; readonly end: RegExp } | undefined;
  #forms: readonly Form[] | undefined;

  constructor(token: string) {
    this.#token = token;
    this.#least = leastOf(token, token);
  }

  redact(text: string): string {
    if (this.#token === '' || text.length < this.#least) return text;
    this.#runs ??= this.#runsOf(PARTS + this.#token.replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`));
    const { start, end } = this.#runs;
    let clean = '';
    let copied = 0;
    start.lastIndex = 0;
    for (let found = start.exec(text); found !== null; found = start.exec(text)) {
      end.lastIndex = start.lastIndex;
      const runEnd = end.exec(text)?.index ?? text.length;
      clean += text.slice(copied, found.index) + this.#cleanRun(text.slice(found.index, runEnd));
      copied = runEnd;
      start.lastIndex = runEnd;
    }
    return clean + text.slice(copied);
  }

  /**
   * Finds where a run starts, and where it ends. One expression for a whole run would keep a place to go back to for each of
   * its characters: in a process that has compiled much, V8 (seen with 11.3) throws a `RangeError` for a run of 4 MiB.
   *
   * The look behind keeps this linear: a run that is too short is read once, and not again from each of its characters.
   */
  #runsOf(characters: string): { readonly start: RegExp; readonly end: RegExp } {
    return {
      start: new RegExp(`(?<![${characters}])[${characters}]{${this.#least}}`, 'g'),
      end: new RegExp(`[^${characters}]`, 'g'),
    };
  }

  #cleanRun(run: string): string {
    let clean = this.#without(run);
    if (!ESCAPE_CHARACTERS.test(clean)) return clean;
    if (withoutNuls(clean).length > LONGEST_ESCAPED_RUN) return REDACTED;
    let inner = clean;
    for (let layer = 0; layer < MOST_LAYERS; layer += 1) {
      const next = withoutLayer(inner);
      if (next === inner) return clean;
      // A token of one letter must not be found in `[redacted]`, and double the text with each layer.
      inner = next
        .split(REDACTED)
        .map((part) => this.#without(part))
        .join(REDACTED);
      if (inner !== next) clean = spacedLike(run, inner);
    }
    return REDACTED;
  }

  #without(text: string): string {
    this.#forms ??= formsOf(this.#token);
    let clean = '';
    let copied = 0;
    for (const { start, end } of joined(this.#forms.flatMap((form) => spansOf(form, text)))) {
      clean += text.slice(copied, start) + REDACTED;
      copied = end;
    }
    return copied === 0 ? text : clean + text.slice(copied);
  }
}

function formsOf(token: string): Form[] {
  const bytes = unpooledText(token);
  const hex = bytes.toString('hex');
  const dumps = token.length < SHORTEST_WITH_DUMPS ? [] : [...base64Cores(bytes), hex, hex.toUpperCase()];
  const forms = [token, ...dumps].map((text) => ({ text, least: leastOf(text, token) }));
  const inner = withoutEscapes(token);
  return inner === token || inner === ''
    ? forms
    : [...forms, { text: inner, least: leastOfInner(inner, token) }];
}

/**
 * A token of visible characters may look escaped, as `%41\\&` does. Escapes around it then go together with what looks like
 * escapes in it (B31). A last backslash goes, too, if punctuation follows the token.
 */
function withoutEscapes(token: string): string {
  return unescaped(token).replace(/\\$/, '');
}

/** Escapes can be anywhere in the token: three quarters of the token can be less than three quarters of what is left of it. */
function leastOfInner(inner: string, token: string): number {
  const start = withoutEscapes(token.slice(0, leastOf(token, token)));
  let same = 0;
  while (same < start.length && start[same] === inner[same]) same += 1;
  const least = leastOf(inner, token);
  return same < SHORTEST_INNER ? least : Math.min(same, least);
}

function leastOf(form: string, token: string): number {
  if (token.length < SHORTEST_WITH_DUMPS) return form.length;
  return Math.min(Math.ceil(form.length * LEAST_SHARE), MOST_NEEDED);
}

/** A match ends where the text stops being equal to the form. */
function spansOf(form: Form, text: string): Span[] {
  const spans: Span[] = [];
  const seed = form.text.slice(0, form.least);
  for (let start = text.indexOf(seed); start >= 0; start = text.indexOf(seed, spans.at(-1)?.end)) {
    let end = start + form.least;
    while (end < text.length && text[end] === form.text[end - start]) end += 1;
    spans.push({ start, end });
  }
  return spans;
}

function joined(spans: readonly Span[]): readonly Span[] {
  if (spans.length < 2) return spans;
  const result: Span[] = [];
  for (const span of spans.toSorted((one, other) => one.start - other.start)) {
    const last = result.at(-1);
    if (last === undefined || span.start >= last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}

/** In UTF-16 and UTF-32 the replacement has as many NULs between its letters as the run. NULs at the ends may belong to the neighbours. */
function spacedLike(run: string, clean: string): string {
  const [before = ''] = /^\0*/.exec(run) ?? [];
  const [, between = ''] = /^[^\0](\0*)/.exec(run.slice(before.length)) ?? [];
  if (before === '' && between === '') return clean;
  const after = run.endsWith('\0') ? between || '\0' : '';
  return before + Array.from(clean).join(between) + after;
}
