/**
 * The server of the benchmarks over HTTPS: a token endpoint and one payment. It runs in its own process, so that the measured
 * CPU time is only that of the client. Run as a program, this file is that process.
 */
import { fork } from 'node:child_process';
import https from 'node:https';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FILE = fileURLToPath(import.meta.url);
const CERTIFICATES = 'compiled/testing/simulator/certificate-authority.js';

/**
 * Starts the server with a build of the package, and with the token that its token endpoint issues.
 *
 * @returns {Promise<{ ca: string, origin: string, close: () => void, forgetConnections: () => Promise<object> }>} The last tells
 * how many connections were made, and the most at once, since it was called before.
 */
export async function startServer(dist, token) {
  const server = fork(FILE, [dist, token], { execArgv: [] });
  const { ca, port } = await new Promise((ready) => server.once('message', ready));
  const forgetConnections = () => {
    server.send('forget connections');
    return new Promise((told) => server.once('message', told));
  };
  return { ca, origin: `https://127.0.0.1:${port}`, close: () => server.disconnect(), forgetConnections };
}

/** The settings of an environment of `easy` on this server. */
export function sandboxAt(origin) {
  return {
    tokenUrl: `${origin}/auth/v0/connect/token`,
    baseUrl: `${origin}/v1`,
    clientId: 'bench',
    clientSecret: 'canary-of-the-bench',
  };
}

async function serve(dist, accessToken) {
  const { issueServerCertificate } = await import(pathToFileURL(resolve(dist, CERTIFICATES)).href);
  const { ca, cert, key } = issueServerCertificate('trusted');
  const payment = JSON.stringify({ id: 'pay_1', amount: 1250, currency: 'EUR', state: 'captured' });
  const token = JSON.stringify({ access_token: accessToken, token_type: 'Bearer', expires_in: 3600 });
  const answer = (request, response) => {
    const body = request.url.endsWith('/token') ? token : payment;
    request.resume().once('end', () => {
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    });
  };
  const server = https.createServer({ cert, key }, answer);
  // A client waits while the other one runs. With a short timeout, the server would close connections that are used again.
  server.keepAliveTimeout = 60_000;
  const counts = { open: 0, mostOpen: 0, made: 0 };
  server.on('connection', (socket) => {
    counts.made += 1;
    counts.open += 1;
    counts.mostOpen = Math.max(counts.mostOpen, counts.open);
    socket.once('close', () => void (counts.open -= 1));
  });
  process.on('message', () => {
    process.send(counts);
    Object.assign(counts, { mostOpen: counts.open, made: 0 });
  });
  server.listen(0, '127.0.0.1', () => process.send({ ca, port: server.address().port }));
  process.once('disconnect', () => process.exit());
}

if (process.argv[1] === FILE) await serve(...process.argv.slice(2));
