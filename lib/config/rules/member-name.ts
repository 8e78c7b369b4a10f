import { nearestName } from './nearest-name.js';

/** The name of a member in a message. A text that is not a name may be a secret in the wrong place, so it is not shown (S10). */
export function shownName(member: string): string {
  return /^[\w$-]{1,64}$/.test(member) ? member : '[not a name]';
}

/** The path of a member. An empty `path` is that of the outermost object. */
export function pathOfMember(path: string, member: string): string {
  return path === '' ? shownName(member) : `${path}.${shownName(member)}`;
}

/** What to do about a member that is not known. */
export function adviceOnUnknown(member: string, known: readonly string[]): string {
  const nearest = nearestName(member, known);
  return nearest === undefined ? `Known here: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
}
