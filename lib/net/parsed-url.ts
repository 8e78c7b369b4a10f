/** `URL.canParse` is no substitute: on Node 20, after V8 has optimised the call, it refuses addresses with letters such as `ü`. */
export function parsedUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
