import { safely } from './safely.js';

/** Not by `URL.canParse`: on Node 20, once V8 has optimised the call, it denies addresses with letters such as `ü`. */
export function parsedUrl(text: string): URL | undefined {
  return safely(() => new URL(text), undefined);
}
