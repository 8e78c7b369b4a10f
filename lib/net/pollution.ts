/**
 * Whether code has added members to `Object.prototype`, as an attack with a JSON text does (B36). Many APIs of Node and of undici
 * would take these members for options of a request or of a connection.
 */
export function isPolluted(): boolean {
  return Object.keys(Object.prototype).length > 0;
}

/** `tls.connect` sets these itself. */
const NEVER_INHERITED = new Set(['checkServerIdentity', 'ciphers', 'minDHSize', 'rejectUnauthorized']);

/** The same options, in which an own member that is undefined hides each member that the options would inherit. */
export function withoutInherited<Options extends object>(options: Options): Options {
  if (!isPolluted()) return options;
  const names = Object.keys(Object.prototype).filter((name) => !NEVER_INHERITED.has(name));
  const hiding = Object.fromEntries(names.map((name) => [name, undefined]));
  return Object.assign(Object.create(null) as Options, hiding, options);
}
