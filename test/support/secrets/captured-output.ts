/** Keeps what is written to the two standard streams. Call the result to end this: it returns the text. */
export function captureOutput(): () => string {
  let output = '';
  const write = (text: string | Uint8Array): boolean => {
    output += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
  const restore = [process.stdout, process.stderr].map((stream) => redirected(stream, write));
  return () => {
    for (const one of restore) one();
    return output;
  };
}

/** Replaces the `write` of a stream. Call the result to restore it. */
export function redirected(stream: NodeJS.WriteStream, write: typeof stream.write): () => void {
  const usual = Object.getOwnPropertyDescriptor(stream, 'write');
  stream.write = write;
  return () => {
    if (usual) Object.defineProperty(stream, 'write', usual);
    else Reflect.deleteProperty(stream, 'write');
  };
}
