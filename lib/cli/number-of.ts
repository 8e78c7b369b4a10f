/** `1 call`, and `2 calls`. */
export function numberOf(count: number, what: string, shown = String(count)): string {
  return `${shown} ${what}${count === 1 ? '' : 's'}`;
}
