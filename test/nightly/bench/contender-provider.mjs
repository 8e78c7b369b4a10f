/**
 * The provider for the contenders, in its own process. It has a token endpoint and an API, each with its own origin. Both
 * count what they receive, and commands of the parent process change their behaviour.
 */
import { once } from 'node:events';
import https from 'node:https';

const STANDING = 'standing-token';
const settings = { tokenDelayMs: 0, lifetimeS: 3_600, tokenStatus: 200 };
const counts = { token: 0, api: 0, refused: 0 };
let living = new Map();
let issued = 0;

process.once('message', (identity) => void open(identity));
process.once('disconnect', () => process.exit());

async function open({ cert, key }) {
  const listen = async (answer) => {
    const server = https.createServer({ cert, key }, (request, response) => {
      request.resume().once('end', () => answer(request, response));
    });
    server.keepAliveTimeout = 120_000;
    server.listen({ port: 0, host: '127.0.0.1', backlog: 8_192 });
    await once(server, 'listening');
    return `https://127.0.0.1:${server.address().port}`;
  };
  const [tokenOrigin, apiOrigin] = [await listen(token), await listen(api)];
  process.send({ tokenOrigin, apiOrigin, standingToken: STANDING });
  process.on('message', runCommand);
}

function runCommand({ set, revoke }) {
  Object.assign(settings, set);
  if (revoke) living = new Map();
  process.send({ ...counts });
}

function token(_request, response) {
  counts.token += 1;
  const { tokenDelayMs, tokenStatus, lifetimeS } = settings;
  setTimeout(() => {
    if (tokenStatus !== 200) return send(response, tokenStatus, { error: 'temporarily_unavailable' });
    issued += 1;
    const value = `token-${issued}`;
    living.set(value, Date.now() + lifetimeS * 1_000);
    send(response, 200, { access_token: value, token_type: 'Bearer', expires_in: lifetimeS });
  }, tokenDelayMs);
}

/** Answers `/…?late=500` after 500 milliseconds. The token is checked when the request arrives. */
function api({ url, headers }, response) {
  counts.api += 1;
  const value = headers.authorization?.slice(7);
  const good = value === STANDING || (living.get(value) ?? 0) > Date.now();
  if (!good) counts.refused += 1;
  const late = Number(new URL(url, 'https://localhost').searchParams.get('late') ?? 0);
  const answer = () => send(response, good ? 200 : 401, good ? { ok: true } : { error: 'invalid_token' });
  if (late > 0) setTimeout(answer, late);
  else answer();
}

function send(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': text.length });
  response.end(text);
}
