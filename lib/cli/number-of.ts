/** `1 call`, and `2 calls`. */
export function numberOf(count: number, what: string, shown = String(count)): string {
  return `${shown} ${what}${count === 1 ? '' : 's'}`;
}

/** `1 call`, and `4,312 calls`. */
export function counted(count: number, what: string): string {
  return numberOf(count, what, count.toLocaleString('en'));
}
