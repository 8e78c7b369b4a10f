import { spawn } from 'node:child_process';

/** What opens an address in the browser. Other systems have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** A program that fails to open an address ends sooner. One that is the browser itself runs on. */
const FAILS_WITHIN_MS = 5_000;

/** Whether a program opened the address. */
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
