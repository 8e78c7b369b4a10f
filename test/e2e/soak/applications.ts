import 'reflect-metadata';
import { Agent } from 'node:https';
import { type INestApplicationContext, Module } from '@nestjs/common';
import type { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { getProviderHttpToken, ProviderAuthModule } from '../../../lib/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { CALL_TIMEOUT_MS } from './api-faults.js';
import {
  type ClientUnderTest,
  CLIENTS_UNDER_TEST,
  type Transport,
  TRANSPORTS,
} from './clients-under-test.js';
import type { BackendPlan } from './messages.js';
import { AHEAD_MS, TOKEN_TIMEOUT_MS } from './rules.js';

/** Real NestJS applications, one for each transport. Each has all interfaces and environments. */
export class Applications {
  readonly #contexts = new Map<Transport, INestApplicationContext>();
  readonly #agents: Agent[] = [];
  readonly #secrets = new Map<string, string>();

  static async start(plan: BackendPlan): Promise<Applications> {
    const applications = new Applications();
    for (const transport of TRANSPORTS) await applications.#open(transport, plan);
    return applications;
  }

  http({ transport, interface: name, environment }: ClientUnderTest): HttpService {
    const context = this.#contexts.get(transport);
    if (context === undefined) throw new RangeError(`There is no application on ${transport}.`);
    return context.get<HttpService>(getProviderHttpToken(name, environment));
  }

  /** Changes the secret as an operator does in a vault. The next token request reads the new secret (B8). */
  rotate(client: string, secret: string): void {
    this.#secrets.set(client, secret);
  }

  async close(): Promise<void> {
    for (const context of this.#contexts.values()) await context.close();
    for (const agent of this.#agents) agent.destroy();
  }

  async #open(transport: Transport, plan: BackendPlan): Promise<void> {
    const ca = plan.ca[transport];
    class Backend {}
    Module({
      imports: [
        ProviderAuthModule.forRoot({
          environment: 'sandbox',
          interfaces: this.#interfaces(transport, plan),
          // One application renews tokens ahead and the other one does not, so the soak covers both.
          token: { timeoutMs: TOKEN_TIMEOUT_MS, renewAheadMs: transport === 'undici' ? AHEAD_MS : 0 },
          http: {
            timeoutMs: CALL_TIMEOUT_MS,
            ...(transport === 'undici'
              ? { transport: undiciTransport() }
              : { httpsAgent: this.#agentFor(ca) }),
          },
        }),
      ],
    })(Backend);
    this.#contexts.set(transport, await NestFactory.createApplicationContext(Backend, { logger: false }));
  }

  #agentFor(ca: string): Agent {
    const agent = new Agent({ ca, keepAlive: true });
    this.#agents.push(agent);
    return agent;
  }

  #interfaces(transport: Transport, plan: BackendPlan): ProviderAuthOptions['interfaces'] {
    const tls = transport === 'undici' ? { tls: { ca: plan.ca[transport] } } : {};
    const environments = (name: ClientUnderTest['interface']) =>
      CLIENTS_UNDER_TEST.filter((client) => client.transport === transport && client.interface === name).map(
        (client) => {
          const address = plan.addresses[client.name];
          if (address === undefined) throw new RangeError(`There is no address for ${client.name}.`);
          this.#secrets.set(client.name, address.clientSecret);
          const { tokenUrl, baseUrl, clientId } = address;
          const clientSecret = (): string => this.#secrets.get(client.name) ?? '';
          return { tokenUrl, settings: { baseUrl, clientId, clientSecret, ...tls } };
        },
      );
    const [sandbox, production] = environments('easy');
    const [drill, real] = environments('originations');
    if (!sandbox || !production || !drill || !real) throw new RangeError('An environment is missing.');
    return {
      easy: {
        sandbox: { tokenUrl: sandbox.tokenUrl, ...sandbox.settings },
        production: { tokenUrl: production.tokenUrl, ...production.settings },
      },
      originations: { tokenUrl: drill.tokenUrl, sandbox: drill.settings, production: real.settings },
    };
  }
}
