import { type AddressInfo } from 'node:net';
import type { AccessToken } from 'nestjs-provider-auth';
import { WebSocketServer } from 'ws';
import { report } from '../case.js';
import { app, tokens } from '../easy-app.js';

// THE BLOCK

const received: (string | undefined)[] = [];
const server = new WebSocketServer({
  port: 0,
  host: '127.0.0.1',
  // The server refuses the first token.
  verifyClient: ({ req }, answer) => {
    received.push(req.headers.authorization);
    answer(received.length > 1, 401);
  },
});
await once(server, 'listening');
const socket = await connect(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
const current = `Bearer ${(await tokens.getToken()).reveal()}`;
report({
  handshakes: received.length,
  isRenewed: received[0] !== received[1],
  isCurrent: received[1] === current,
});
socket.terminate();
server.close();
await app.close();
