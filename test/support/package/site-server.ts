import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { listenOnLoopback } from '../run/free-port.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

export interface SiteServer {
  /** Ends without a slash. */
  readonly origin: string;
  readonly close: () => Promise<void>;
}

/** Serves the files of a built site on loopback, as the host of static pages does. */
export async function serveSite(folder: string): Promise<SiteServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    readFile(join(folder, decodeURIComponent(file))).then(
      (content) =>
        response
          .writeHead(200, { 'content-type': TYPES[extname(file)], 'cache-control': 'max-age=600' })
          .end(content),
      () => response.writeHead(404).end(),
    );
  });
  return {
    origin: `http://127.0.0.1:${await listenOnLoopback(server)}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
