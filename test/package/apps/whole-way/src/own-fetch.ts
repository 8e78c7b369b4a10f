// The program of a separate process, in which nothing has changed `fetch` before this import.
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { createServer } from 'node:http';

/** Posts with the `fetch` of Node and a `Content-Length`, as some clients do. Prints the response. */
const server = createServer((request, response) => void request.pipe(response));
server.listen(0, '127.0.0.1', () => {
  void post().then((answer) => {
    console.log(JSON.stringify([answer, typeof undiciTransport]));
    server.close();
  });
});

async function post(): Promise<string> {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const init = { method: 'POST', body: 'hello', headers: { 'Content-Length': '5', Connection: 'close' } };
  try {
    const response = await fetch(`http://127.0.0.1:${port}`, init);
    return await response.text();
  } catch (error) {
    return String(error instanceof Error ? error.cause : error);
  }
}
