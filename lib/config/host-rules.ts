/** Letters, digits, hyphens and underscores; names in other scripts come here as `xn--…`. */
const LABEL = /^[a-z\d_-]{1,63}$/;

/** What JavaScript writes into a text in place of a value that is missing. */
const MISSING = new Set(['undefined', 'null']);

/** What is wrong with the host of a URL, as the URL parser gives it. The parser accepts hosts that no name server knows. */
export function flawOfHost(hostname: string): string | undefined {
  // The parser has checked what stands in brackets.
  if (hostname.startsWith('[')) return undefined;
  const labels = hostname.replace(/\.$/, '').split('.');
  if (labels.some((label) => MISSING.has(label)))
    return 'has "undefined" or "null" in its host. Was it put together from a variable that is not set?';
  if (!labels.every((label) => LABEL.test(label)))
    return 'has a character in its host that no host name has, such as a comma, * or $. Write the host in full.';
  return undefined;
}
