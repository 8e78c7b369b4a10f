import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  issueServerCertificate,
  type ServerCertificate,
} from '../../../lib/testing/simulator/certificate-authority.js';
import type { Authority, AuthorizationServer, Pair, RegisteredClient } from './authorization-server.js';
import { postForm } from './post-form.js';

/** The Python of Debian, because only this Python finds the packages of Debian. Another Python may come first in the path. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = fileURLToPath(new URL('django_oauth_toolkit.py', import.meta.url));

const REMEDY = 'If it is not installed, install it: apt-get install python3-django-oauth-toolkit.';

const TOKEN_PATHS = {
  originations: 'oauth/token',
  sandbox: 'sandbox/auth/v0/connect/token',
  production: 'live/auth/v0/connect/token',
};

/** The credentials of the API at the introspection endpoint. */
const API = { clientId: `api-${randomUUID()}`, clientSecret: randomUUID(), lifetimeSeconds: 60 };

/** Django OAuth Toolkit in its own process: opaque tokens, introspection, revocation. */
export class DjangoOauthToolkit implements AuthorizationServer {
  readonly #agent: Agent;
  readonly #answers: AsyncIterator<string>;
  #errors = '';
  #turn: Promise<unknown> = Promise.resolve();
  #url = '';

  private constructor(
    readonly certificate: ServerCertificate,
    private readonly process: ChildProcessWithoutNullStreams,
    private readonly folder: string,
  ) {
    this.#agent = new Agent({ ca: certificate.ca });
    this.#answers = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    process.stderr.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    // No handling here: a command that waits for its answer throws when the process has ended.
    process.stdin.on('error', () => undefined);
    process.on('error', (error) => (this.#errors += error.message));
  }

  static async start(): Promise<DjangoOauthToolkit> {
    const certificate = await issueServerCertificate('trusted');
    const folder = await mkdtemp(join(tmpdir(), 'django-oauth-toolkit-'));
    const certificateFile = join(folder, 'certificate.pem');
    await writeFile(certificateFile, certificate.key + certificate.cert, { mode: 0o600 });
    const environment = { ...process.env, PYTHONUTF8: '1', PYTHONDONTWRITEBYTECODE: '1' };
    const server = new DjangoOauthToolkit(certificate, spawn(PYTHON, [SCRIPT], { env: environment }), folder);
    try {
      await server.#begin(certificateFile);
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  authority(...[name, environment]: Pair): Authority {
    const tokenPath = TOKEN_PATHS[name === 'originations' ? name : environment];
    return {
      tokenUrl: `${this.#url}/${tokenPath}`,
      register: async (client) => void (await this.#command({ do: 'register', client })),
      seen: async (clientId) => {
        const { granted, refused } = await this.#command({ do: 'seen', client: { clientId } });
        return { granted: Number(granted), refused: Number(refused) };
      },
      holderOf: async (token) => {
        const claims = await this.#post('introspect', token, API);
        const holder = claims['client_id'];
        return claims['active'] === true && typeof holder === 'string' ? holder : undefined;
      },
      revoke: async (token, client) => void (await this.#post('revoke', token, client)),
    };
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    if (this.process.exitCode === null && this.process.signalCode === null) {
      const ended = once(this.process, 'exit');
      this.process.stdin.end();
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #begin(certificateFile: string): Promise<void> {
    const database = join(this.folder, 'database');
    const tokenPaths = Object.values(TOKEN_PATHS);
    const { port } = await this.#command({ secretKey: randomUUID(), database, certificateFile, tokenPaths });
    this.#url = `https://127.0.0.1:${String(port)}`;
    await this.#command({ do: 'register', client: API });
  }

  #post(path: string, token: string, { clientId, clientSecret }: RegisteredClient) {
    const fields = { token, client_id: clientId, client_secret: clientSecret };
    return postForm(`${this.#url}/${path}`, fields, this.#agent);
  }

  /** Sends one line and reads one line. Commands run one after another. */
  #command(order: object): Promise<Record<string, unknown>> {
    const answered = this.#turn.then(async () => {
      this.process.stdin.write(`${JSON.stringify(order)}\n`);
      const { value, done } = await this.#answers.next();
      if (done === true) throw new Error(`Django OAuth Toolkit ended. ${REMEDY}\n${this.#errors}`);
      const answer: Record<string, unknown> = JSON.parse(value) ?? {};
      return answer;
    });
    this.#turn = answered.catch(() => undefined);
    return answered;
  }
}
