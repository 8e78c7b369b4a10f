import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ConsoleLogger,
  Controller,
  Get,
  HttpException,
  type INestApplication,
  InternalServerErrorException,
  Logger,
  Module,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { capturedOutput } from '../support/secrets/captured-output.js';

const PATHS = ['through', 'as-cause', 'as-body', 'as-answer'];

let thrown: unknown;

/** What people do with an error of a client that they call. */
@Controller()
class CarelessController {
  @Get('through')
  through(): never {
    throw thrown;
  }

  @Get('as-cause')
  asCause(): never {
    throw new InternalServerErrorException('It failed.', { cause: thrown });
  }

  @Get('as-body')
  asBody(): never {
    throw new HttpException({ error: thrown }, 502);
  }

  @Get('as-answer')
  asAnswer(): unknown {
    return { error: thrown };
  }
}

@Module({ controllers: [CarelessController] })
class CarelessModule {}

/** A real application on Express whose controllers let an error through to Nest's own exception filter. */
export class CarelessApp {
  private constructor(
    private readonly app: INestApplication<Server>,
    private readonly port: number,
  ) {}

  static async start(): Promise<CarelessApp> {
    const app = await NestFactory.create<INestApplication<Server>>(CarelessModule, {
      logger: false,
      forceCloseConnections: true,
    });
    // Searching what is shown may take longer than a connection is usually kept.
    app.getHttpServer().keepAliveTimeout = 0;
    await app.listen(0, '127.0.0.1');
    return new CarelessApp(app, (app.getHttpServer().address() as AddressInfo).port);
  }

  /** All that the world sees of an error: the log, as text and as JSON, and the answers. */
  async showsOf(error: unknown): Promise<string> {
    thrown = error;
    const text = await this.#ask(new ConsoleLogger({ colors: false }), PATHS);
    const json = await this.#ask(new ConsoleLogger({ json: true }), ['through']);
    return text + json;
  }

  close(): Promise<void> {
    return this.app.close();
  }

  async #ask(logger: ConsoleLogger, paths: readonly string[]): Promise<string> {
    Logger.overrideLogger(logger);
    const { output, result } = await capturedOutput(() =>
      Promise.all(paths.map((path) => textOf(`http://127.0.0.1:${this.port}/${path}`))),
    );
    Logger.overrideLogger(false);
    return [output, ...result].join('\n');
  }
}

async function textOf(url: string): Promise<string> {
  const answer = await fetch(url);
  return answer.text();
}
