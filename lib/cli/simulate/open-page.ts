import { spawn } from 'node:child_process';

/** What opens an address in the browser. Other systems have `xdg-open`. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether a program was there to open the address. */
export function openPage(address: string): Promise<boolean> {
  const [program, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const opened = new Promise<boolean>((resolve) => {
    const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
    child.once('spawn', () => resolve(true)).once('error', () => resolve(false));
    // The browser outlives the simulator.
    child.unref();
  });
  // `spawn` throws some failures at once.
  return opened.catch(() => false);
}
