import { flawOfHeader } from './rules/http-rules.js';
import { UNREADABLE } from './object-reader.js';
import type { OptionsNode } from './options-node.js';

/** Reads `http.headers`, which are sent with each API request. */
export function readHeaders(http: OptionsNode): Readonly<Record<string, string>> | undefined {
  const node = http.child('headers');
  if (node === undefined) return undefined;
  if (!node.isPlain && node.keys().length === 0) {
    // A Headers or a Map object has no members: its headers would be lost without an error.
    http.refuse(
      'headers',
      'must be a plain object of names and values. Turn it into one with Object.fromEntries().',
    );
    return undefined;
  }
  const headers: [string, string][] = [];
  for (const name of node.keys()) {
    const value = node.read(name);
    const flaw = value === UNREADABLE ? undefined : flawOfHeader(name, value);
    if (flaw !== undefined) node.refuse(name, flaw);
    else if (typeof value === 'string') headers.push([name, value]);
  }
  return Object.freeze(Object.fromEntries(headers));
}
