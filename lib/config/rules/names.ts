/** The name of a member in a message. A text that is not a name may be a secret in the wrong place, so it is not shown (S10). */
export function shownName(member: string): string {
  return /^[\w$-]{1,64}$/.test(member) ? member : '[not a name]';
}

/** The known name that is most similar, if it is similar enough to be the intended name. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = Math.max(2, Math.floor(wanted.length / 4)) + 1;
  for (const candidate of known) {
    const distance =
      wanted.length > 2 && plain(candidate).startsWith(wanted) ? 1 : editDistance(wanted, plain(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `client_id`, `clientID` and `clientId` count as the same name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/** How many letters have to be inserted, removed or replaced (Levenshtein distance). */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of from.split('').entries()) {
    const next = [index + 1];
    for (const [column, other] of to.split('').entries()) {
      const exchanged = (row[column] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
