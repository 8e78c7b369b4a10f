/** The keys of a terminal, one at a time and without Enter. */
export interface Keyboard {
  readonly isTTY?: boolean | undefined;
  setRawMode?(mode: boolean): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** What ends the command: `q`, Ctrl-C and Ctrl-D. In raw mode a terminal sends no signal for Ctrl-C. */
export const QUIT: ReadonlySet<string> = new Set(['q', '\u0003', '\u0004']);

/** Reports each key until the signal is aborted. */
export function readKeys(keyboard: Keyboard, signal: AbortSignal, onKey: (key: string) => void): void {
  const onData = (bytes: Buffer): void => {
    // An arrow key sends several characters that begin with Escape. They are no keys of ours.
    const text = bytes.toString();
    if (!text.startsWith('\u001b')) for (const key of text) onKey(key);
  };
  keyboard.setRawMode?.(true);
  keyboard.on('data', onData);
  keyboard.resume();
  signal.addEventListener('abort', () => {
    keyboard.off('data', onData);
    keyboard.setRawMode?.(false);
    keyboard.pause();
  });
}
