/** Receives the bytes of a response. */
export interface Sink {
  /** False if the sink wants no more bytes for the moment. */
  push(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** Where the bytes come from. */
export interface Source {
  resume(): void;
}
