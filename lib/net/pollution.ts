import { isPolluted } from '../values/is-object.js';

/** `tls.connect` sets these itself. */
const NEVER_INHERITED = new Set(['checkServerIdentity', 'ciphers', 'minDHSize', 'rejectUnauthorized']);

/** The same options, in which an own member that is undefined hides each member that the options would inherit. */
export function withoutInherited<Options extends object>(options: Options): Options {
  if (!isPolluted()) return options;
  const names = Object.keys(Object.prototype).filter((name) => !NEVER_INHERITED.has(name));
  const hiding = Object.fromEntries(names.map((name) => [name, undefined]));
  return Object.assign(Object.create(null) as Options, hiding, options);
}
