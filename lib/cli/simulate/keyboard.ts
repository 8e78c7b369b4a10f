import { spawn } from 'node:child_process';

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

/** What opens an address in the browser. Other systems have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** A program that fails to open an address ends sooner. One that is the browser itself runs on. */
const FAILS_WITHIN_MS = 5_000;

export function openPage(address: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opened = new Promise<boolean>((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child.once('exit', (code) => resolve(code === 0)).once('error', () => resolve(false));
    setTimeout(() => resolve(true), FAILS_WITHIN_MS).unref();
    // The browser outlives the simulator.
    child.unref();
  });
  // `spawn` throws some failures at once.
  return opened.catch(() => false);
}
