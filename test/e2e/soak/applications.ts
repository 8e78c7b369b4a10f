import 'reflect-metadata';
import { Agent } from 'node:https';
import { type INestApplicationContext, Module } from '@nestjs/common';
import type { HttpService } from '@nestjs/axios';
import { NestFactory } from '@nestjs/core';
import type { ProviderAuthOptions } from '../../../lib/index.js';
import { getProviderHttpToken, ProviderAuthModule } from '../../../lib/index.js';
import { undiciTransport } from '../../../lib/undici/index.js';
import { CALL_TIMEOUT_MS } from './api-faults.js';
import { type Lane, LANES, type Transport, TRANSPORTS } from './lanes.js';
import type { BackendPlan } from './messages.js';
import { AHEAD_MS, TOKEN_TIMEOUT_MS } from './rules.js';

/** Real applications of NestJS, one for each transport, all interfaces and environments in each. */
export class Applications {
  readonly #contexts = new Map<Transport, INestApplicationContext>();
  readonly #agents: Agent[] = [];
  readonly #secrets = new Map<string, string>();

  static async start(plan: BackendPlan): Promise<Applications> {
    const applications = new Applications();
    for (const transport of TRANSPORTS) await applications.#open(transport, plan);
    return applications;
  }

  http({ transport, interface: name, environment }: Lane): HttpService {
    const context = this.#contexts.get(transport);
    if (context === undefined) throw new RangeError(`There is no application on ${transport}.`);
    return context.get<HttpService>(getProviderHttpToken(name, environment));
  }

  /** As an operator changes it in a vault: the next token request reads the new one (B8). */
  rotate(lane: string, secret: string): void {
    this.#secrets.set(lane, secret);
  }

  async close(): Promise<void> {
    for (const context of this.#contexts.values()) await context.close();
    for (const agent of this.#agents) agent.destroy();
  }

  async #open(transport: Transport, plan: BackendPlan): Promise<void> {
    const ca = plan.ca[transport];
    const httpsAgent = new Agent({ ca, keepAlive: true });
    this.#agents.push(httpsAgent);
    class Backend {}
    Module({
      imports: [
        ProviderAuthModule.forRoot({
          environment: 'sandbox',
          interfaces: this.#interfaces(transport, plan),
          // One application renews ahead and one does not: both ways of a token's life.
          token: { timeoutMs: TOKEN_TIMEOUT_MS, renewAheadMs: transport === 'undici' ? AHEAD_MS : 0 },
          http: {
            httpsAgent,
            timeoutMs: CALL_TIMEOUT_MS,
            ...(transport === 'undici' && { transport: undiciTransport({ connect: { ca } }) }),
          },
        }),
      ],
    })(Backend);
    this.#contexts.set(transport, await NestFactory.createApplicationContext(Backend, { logger: false }));
  }

  #interfaces(transport: Transport, plan: BackendPlan): ProviderAuthOptions['interfaces'] {
    const environments = (name: Lane['interface']) =>
      LANES.filter((lane) => lane.transport === transport && lane.interface === name).map((lane) => {
        const address = plan.addresses[lane.name];
        if (address === undefined) throw new RangeError(`There is no address for ${lane.name}.`);
        this.#secrets.set(lane.name, address.clientSecret);
        const { tokenUrl, baseUrl, clientId } = address;
        const clientSecret = (): string => this.#secrets.get(lane.name) ?? '';
        return { tokenUrl, settings: { baseUrl, clientId, clientSecret } };
      });
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
