import { createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listenOnLoopback } from '../run/free-port.js';

/** A port that accepts connections and answers nothing, as if all packets behind it were lost. It ends with the test. */
export async function blackHole(): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return listenOnLoopback(server);
}
