import { safely } from '../values/safely.js';

/**
 * Workaround: `URL.canParse` refuses addresses with letters such as `ü` after V8 has optimised the call (of the kind of
 * nodejs/node#48816, which is closed). We saw this on Node 20.20.2 and 22.23.3 after 4,000 calls, and not on 24.0.0, 24.21.0
 * and 26.10.0. `test/unit/config/right-options.spec.ts` checks such an address 20,000 times. When Node 22 is no longer
 * supported, callers that need only a yes or no can use `URL.canParse`.
 */
export function parsedUrl(text: string): URL | undefined {
  return safely<URL | undefined>(() => new URL(text), undefined);
}

/** Text that is not percent-encoded stays as it is. */
export function decodedText(text: string): string {
  return safely(() => decodeURIComponent(text), text);
}

/** The host of a URL as sockets take it: a URL writes an IPv6 address in brackets. */
export function socketHost({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '');
}
