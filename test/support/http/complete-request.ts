const END_OF_HEAD = '\r\n\r\n';

/** The bytes of the first whole request, or undefined if the request is not complete yet. */
export function completeRequest(bytes: Buffer): Buffer | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1) return undefined;
  const head = bytes.toString('latin1', 0, end + 2);
  const start = end + END_OF_HEAD.length;
  const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
  const bodyEnd = /\r\ntransfer-encoding: *chunked\r\n/i.test(head)
    ? endOfChunks(bytes, start)
    : start + Number(length ?? 0);
  return bodyEnd === undefined || bodyEnd > bytes.length ? undefined : bytes.subarray(0, bodyEnd);
}

function endOfChunks(bytes: Buffer, start: number): number | undefined {
  for (let at = start; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0) return at;
  }
}
