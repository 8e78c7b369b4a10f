import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type ArgumentsHost,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  type INestApplication,
  Module,
  Res,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ExpressAdapter } from '@nestjs/platform-express';
import { AxiosError } from 'axios';
import { map, type Observable } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EasyHttpService, ProviderAuthExceptionFilter, ProviderAuthModule } from '../../../lib/index.js';
import { ProviderSimulator } from '../../../lib/testing/index.js';
import { CapturedLogs } from '../../support/secrets/captured-logs.js';
import { startSimulator } from '../../support/application/simulator.js';

async function serve(
  platform: 'express' | 'fastify',
  provider: ProviderSimulator,
  ...filters: readonly ExceptionFilter[]
): Promise<INestApplication> {
  @Controller()
  class PaymentsController {
    constructor(private readonly easy: EasyHttpService) {}

    @Get('payments')
    payments(): Observable<unknown> {
      return this.easy.get<unknown>('/payments').pipe(map(({ data }) => data));
    }

    @Get('streamed')
    async streamed(@Res() reply: { raw?: ServerResponse } & Partial<ServerResponse>): Promise<void> {
      (reply.raw ?? reply).write?.('part');
      await this.easy.axiosRef.get('/payments');
    }
  }
  @Module({
    imports: [ProviderAuthModule.forRoot(provider.options())],
    controllers: [PaymentsController as Type],
  })
  class AppModule {}
  const adapter = platform === 'express' ? new ExpressAdapter() : new FastifyAdapter();
  const app = await NestFactory.create(AppModule, adapter, { logger: false });
  onTestFinished(() => app.close());
  app.useGlobalFilters(...filters);
  await app.listen(0, '127.0.0.1');
  return app;
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

async function get(app: INestApplication, path: string): Promise<Answer> {
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const retryAfter = answer.headers.get('retry-after') ?? undefined;
  return { status: answer.status, retryAfter, body: await answer.text() };
}

describe.each(['express', 'fastify'] as const)('on %s', (platform) => {
  it('C2 B15: a controller returns the answer of the interface', async () => {
    const provider = await startSimulator();
    const app = await serve(platform, provider);
    const { status, body } = await get(app, '/payments');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ interface: 'easy', environment: 'sandbox' });
  });

  it('S10: a failed call ends in a bare 500 for the client of the application', async () => {
    const provider = await startSimulator();
    provider.token.refuse('invalid_client');
    const app = await serve(platform, provider);
    const { status, body } = await get(app, '/payments');
    expect(status).toBe(500);
    expect(JSON.parse(body)).toEqual({ statusCode: 500, message: 'Internal server error' });
  });

  it('B35: with ProviderAuthExceptionFilter, a call without a token ends in 503 with Retry-After', async () => {
    const provider = await startSimulator();
    provider.token.refuse('invalid_client');
    const app = await serve(platform, provider, new ProviderAuthExceptionFilter());
    const { status, retryAfter, body } = await get(app, '/payments');
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    expect(JSON.parse(body)).toEqual({ statusCode: 503, message: 'Service Unavailable' });
  });

  it('B35: and one that has begun its response ends it, without an error of another kind in the log', async () => {
    const provider = await startSimulator();
    provider.token.refuse('invalid_client');
    const app = await serve(platform, provider, new ProviderAuthExceptionFilter());
    const logs = new CapturedLogs();
    app.useLogger(logs);
    onTestFinished(() => app.useLogger(false));
    expect(await get(app, '/streamed')).toMatchObject({ status: 200, body: 'part' });
    expect(logs.of('ExceptionsHandler')).toEqual([]);
  });

  it('B35: so does a call whose token is refused and cannot be renewed', async () => {
    const provider = await startSimulator();
    const app = await serve(platform, provider, new ProviderAuthExceptionFilter());
    expect((await get(app, '/payments')).status).toBe(200);
    provider.token.revokeAll();
    provider.token.refuse('invalid_client');
    const { status, retryAfter, body } = await get(app, '/payments');
    expect(status).toBe(503);
    expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
    expect(JSON.parse(body)).toEqual({ statusCode: 503, message: 'Service Unavailable' });
  });

  it('B35: a 401 with a working token endpoint has the filter of the application, or none', async () => {
    const provider = await startSimulator();
    provider.api.unauthorized();
    const app = await serve(platform, provider, new ProviderAuthExceptionFilter());
    expect(await get(app, '/payments')).toMatchObject({ status: 500, retryAfter: undefined });
    const answered: unknown[] = [];
    @Catch(AxiosError)
    class AxiosFilter implements ExceptionFilter {
      catch(error: unknown, host: ArgumentsHost): void {
        answered.push(error);
        host
          .switchToHttp()
          .getResponse<{ status(code: number): { send(body: string): void } }>()
          .status(502)
          .send('');
      }
    }
    const other = await serve(platform, provider, new AxiosFilter(), new ProviderAuthExceptionFilter());
    expect((await get(other, '/payments')).status).toBe(502);
    expect(answered).toEqual([expect.any(AxiosError)]);
  });

  it('B35: the filter leaves other errors alone', async () => {
    const provider = await startSimulator();
    provider.api.status(500);
    const app = await serve(platform, provider, new ProviderAuthExceptionFilter());
    expect(await get(app, '/payments')).toMatchObject({ status: 500, retryAfter: undefined });
  });
});
