/** The keys of a terminal, one at a time and without Enter. */
export interface Keyboard {
  readonly isTTY?: boolean | undefined;
  setRawMode?(mode: boolean): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';

/** What ends the command: in raw mode a terminal sends no signal for Ctrl-C. */
export const QUIT: ReadonlySet<string> = new Set(['q', CONTROL_C, CONTROL_D]);

/** Opens the page. */
export const OPEN = 'o';

/** Reports each key until the returned function is called. */
export function readKeys(keyboard: Keyboard, onKey: (key: string) => void): () => void {
  const onData = (bytes: Buffer): void => {
    // An arrow key sends several characters that begin with Escape. They are no keys of ours.
    const text = bytes.toString();
    if (!text.startsWith('\u001b')) for (const key of text) onKey(key);
  };
  keyboard.setRawMode?.(true);
  keyboard.on('data', onData);
  keyboard.resume();
  return () => {
    keyboard.off('data', onData);
    keyboard.setRawMode?.(false);
    keyboard.pause();
  };
}
