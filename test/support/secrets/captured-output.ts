/** Runs some work. Returns its result, and all output on the two standard streams meanwhile. */
export async function capturedOutput<Result>(
  work: () => Promise<Result>,
): Promise<{ output: string; result: Result }> {
  let output = '';
  const write = (text: string | Uint8Array): boolean => {
    output += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };
  const restore = [process.stdout, process.stderr].map((stream) => redirected(stream, write));
  try {
    const result = await work();
    return { result, output };
  } finally {
    for (const one of restore) one();
  }
}

/** Replaces the `write` of a stream. Call the result to restore it. */
export function redirected(
  stream: NodeJS.WriteStream,
  write: (text: string | Uint8Array) => boolean,
): () => void {
  const usual = Object.getOwnPropertyDescriptor(stream, 'write');
  stream.write = write;
  return () => {
    if (usual) Object.defineProperty(stream, 'write', usual);
    else Reflect.deleteProperty(stream, 'write');
  };
}
