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
import { captureOutput } from '../../support/secrets/captured-output.js';

const PATHS = ['through', 'as-cause', 'as-body', 'as-response'];

let thrown: unknown;

/** Throws or returns the error of a client, as applications do. */
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

  @Get('as-response')
  asResponse(): unknown {
    return { error: thrown };
  }
}

@Module({ controllers: [CarelessController] })
class CarelessModule {}

/** A real application on Express. Its controllers pass an error on to the exception filter of NestJS. */
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
    // The search between two requests may take longer than the default keep-alive timeout.
    app.getHttpServer().keepAliveTimeout = 0;
    await app.listen(0, '127.0.0.1');
    return new CarelessApp(app, (app.getHttpServer().address() as AddressInfo).port);
  }

  /** All output of the application about an error: the log as text and as JSON, and the responses. */
  async outputsOf(error: unknown): Promise<string> {
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
    const endCapture = captureOutput();
    try {
      const texts = await Promise.all(paths.map((path) => textOf(`http://127.0.0.1:${this.port}/${path}`)));
      return [endCapture(), ...texts].join('\n');
    } finally {
      endCapture();
      Logger.overrideLogger(false);
    }
  }
}

async function textOf(url: string): Promise<string> {
  const response = await fetch(url);
  return response.text();
}
