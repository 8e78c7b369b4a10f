import { randomUUID } from 'node:crypto';
import { Agent } from 'node:https';
import type { HttpService } from '@nestjs/axios';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import {
  getProviderHttpToken,
  getTokenProviderToken,
  ProviderAuthModule,
  type ProviderAuthOptions,
  type TokenProvider,
} from '../../../lib/index.js';
import { CanaryScanner, type Leak } from '../secrets/canary-scanner.js';
import { CapturedLogs } from '../secrets/captured-logs.js';
import { type HttpsAnswer, callHttps } from '../http/https-call.js';
import { ALL_PAIRS } from '../application/simulator.js';
import type {
  AuthorizationServer,
  Authority,
  Pair,
  RegisteredClient,
  TokenRequestsSeen,
} from './authorization-server.js';
import { ProtectedApi } from './protected-api.js';

type SecretOption = string | (() => string);

export interface ForeignTrialOptions {
  /** Characters in ids and secrets that careless encoding breaks. */
  readonly odd?: string;
  readonly lifetimeSeconds?: number;
  /** The secret in the configuration of the application, if it differs from the secret that the server knows. */
  readonly secretOf?: (client: RegisteredClient) => SecretOption;
}

/** One interface and environment of a trial: its client, its server, and its path at the API. */
export interface Side {
  readonly authority: Authority;
  readonly client: RegisteredClient;
  readonly place: string;
  readonly baseUrl: string;
}

/** A NestJS application that gets its tokens from a foreign server, and an API that trusts only this server. */
export class ForeignTrial {
  readonly logs = new CapturedLogs();
  readonly #sides = new Map<string, Side>();
  #app: INestApplicationContext | undefined;
  readonly #agent: Agent;

  private constructor(
    server: AuthorizationServer,
    readonly api: ProtectedApi,
  ) {
    this.#agent = new Agent({ ca: server.certificate.ca, keepAlive: true });
  }

  static async start(
    server: AuthorizationServer,
    { odd = '', lifetimeSeconds = 60, secretOf }: ForeignTrialOptions = {},
  ): Promise<ForeignTrial> {
    const api = await ProtectedApi.start(server.certificate);
    const trial = new ForeignTrial(server, api);
    onTestFinished(() => trial.#close());
    for (const pair of ALL_PAIRS) await trial.#open(server, pair, odd, lifetimeSeconds);
    const options = trial.#options(secretOf ?? (({ clientSecret }) => clientSecret));
    trial.#app = await NestFactory.createApplicationContext(ProviderAuthModule.forRoot(options), {
      logger: trial.logs,
      abortOnError: false,
    });
    return trial;
  }

  http(...pair: Pair): HttpService {
    return this.#inApp.get<HttpService>(getProviderHttpToken(...pair));
  }

  tokens(...pair: Pair): TokenProvider {
    return this.#inApp.get<TokenProvider>(getTokenProviderToken(...pair));
  }

  side(...pair: Pair): Side {
    const side = this.#sides.get(pair.join('-'));
    if (side === undefined) throw new Error(`Nothing was opened for ${pair.join(' ')}.`);
    return side;
  }

  /** The token requests that the server counted for this client. */
  seen(...pair: Pair): Promise<TokenRequestsSeen> {
    const { authority, client } = this.side(...pair);
    return authority.seen(client.clientId);
  }

  /** Changes the secret at the server. The server then refuses the old secret. */
  async rotate(...pair: Pair): Promise<string> {
    const { authority, client } = this.side(...pair);
    const clientSecret = `${client.clientSecret}-rotated`;
    await authority.register({ ...client, clientSecret });
    return clientSecret;
  }

  /** Calls the API with a token, without the client of this library. */
  callWithToken(token: string, ...pair: Pair): Promise<HttpsAnswer> {
    const url = `${this.side(...pair).baseUrl}/any`;
    return callHttps(url, { agent: this.#agent, headers: { authorization: `Bearer ${token}` } });
  }

  /** The leaks of credentials and tokens in a value and in the log (S10). */
  leaks(value: unknown, others: Readonly<Record<string, string>> = {}): Leak[] {
    const scanner = new CanaryScanner(others);
    for (const [name, { client }] of this.#sides) {
      scanner.add(`id of ${name}`, client.clientId);
      scanner.add(`secret of ${name}`, client.clientSecret);
    }
    for (const { token } of this.api.calls) if (token !== undefined) scanner.add('token', token);
    return [...scanner.scan(value), ...scanner.scanText(this.logs.text, 'log')];
  }

  get #inApp(): INestApplicationContext {
    if (this.#app === undefined) throw new Error('The application has not started.');
    return this.#app;
  }

  async #open(server: AuthorizationServer, pair: Pair, odd: string, lifetimeSeconds: number): Promise<void> {
    const place = pair.join('-');
    const authority = server.authority(...pair);
    const client = {
      clientId: `${odd}${randomUUID()}`,
      clientSecret: `${odd}${randomUUID()}${odd}`,
      lifetimeSeconds,
    };
    await authority.register(client);
    const baseUrl = this.api.open(
      place,
      async (token) => (await authority.holderOf(token)) === client.clientId,
    );
    this.#sides.set(place, { authority, client, place, baseUrl });
  }

  #options(secretOf: (client: RegisteredClient) => SecretOption): ProviderAuthOptions {
    const settings = (...pair: Pair) => {
      const { baseUrl, client } = this.side(...pair);
      return { baseUrl, clientId: client.clientId, clientSecret: secretOf(client) };
    };
    const withUrl = (...pair: Pair) => ({
      tokenUrl: this.side(...pair).authority.tokenUrl,
      ...settings(...pair),
    });
    return {
      environment: 'sandbox',
      interfaces: {
        originations: {
          tokenUrl: this.side('originations', 'sandbox').authority.tokenUrl,
          sandbox: settings('originations', 'sandbox'),
          production: settings('originations', 'production'),
        },
        easy: { sandbox: withUrl('easy', 'sandbox'), production: withUrl('easy', 'production') },
      },
      http: { httpsAgent: this.#agent },
    };
  }

  async #close(): Promise<void> {
    await this.#app?.close();
    this.#agent.destroy();
    await this.api.close();
  }
}
