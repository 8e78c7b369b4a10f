import { Writable } from 'node:stream';
import { ConsoleLogger } from '@nestjs/common';
import { pino, stdSerializers } from 'pino';
import { createLogger, format, transports } from 'winston';
import { redirected } from './captured-output.js';
import type { Rendering } from './renderings.js';

/** Everything that a logger wrote since it was last asked. */
class Paper {
  #text = '';

  readonly stream = new Writable({
    write: (chunk: Buffer, _encoding, done): void => {
      this.#text += chunk.toString();
      done();
    },
  });

  readonly write = (text: string | Uint8Array): boolean => {
    this.#text += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  };

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }
}

/** Each way to hand a value to a logger, and what it has written by then. */
type Ways = Readonly<Record<string, (value: unknown) => string>>;

function withPino(): Ways {
  const paper = new Paper();
  const plain = pino({}, paper);
  const standard = pino({ serializers: stdSerializers }, paper);
  const everywhere = pino(
    { serializers: { error: stdSerializers.errWithCause, response: stdSerializers.res } },
    paper,
  );
  return {
    'pino error(value)': (value) => (plain.error(value), paper.take()),
    'pino {err}': (value) => (standard.error({ err: value }, 'failed'), paper.take()),
    'pino {error}': (value) => (plain.error({ error: value }, 'failed'), paper.take()),
    'pino {error} with its cause': (value) => (everywhere.error({ error: value }), paper.take()),
    'pino {response}': (value) => (plain.info({ response: value }), paper.take()),
    'pino {res}': (value) => (standard.info({ res: value, req: value }), paper.take()),
    'pino %o': (value) => (plain.error('failed: %o', value as object), paper.take()),
  };
}

function withWinston(): Ways {
  const formats = {
    json: format.json(),
    simple: format.simple(),
    prettyPrint: format.combine(format.errors({ stack: true }), format.prettyPrint({ depth: 20 })),
    'errors, json': format.combine(format.errors({ stack: true, cause: true }), format.json()),
    splat: format.combine(format.splat(), format.simple()),
  };
  return Object.fromEntries(
    Object.entries(formats).map(([name, chosen]) => {
      const paper = new Paper();
      const logger = createLogger({
        format: chosen,
        transports: [new transports.Stream({ stream: paper.stream })],
      });
      const write = (value: unknown): string => {
        for (const log of [
          () => logger.error(value as Error),
          () => logger.error('failed', value),
          () => logger.error('failed', { err: value, error: value, response: value }),
          () => logger.log('error', 'failed: %s %j %o', value, value, value),
        ])
          attempted(log);
        return paper.take();
      };
      return [`winston ${name}`, write];
    }),
  );
}

function withNest(): Ways {
  return {
    'Nest ConsoleLogger': intoNest(new ConsoleLogger('Canary')),
    'Nest ConsoleLogger in JSON': intoNest(new ConsoleLogger('Canary', { json: true, colors: false })),
  };
}

function intoNest(logger: ConsoleLogger): (value: unknown) => string {
  return (value) => {
    const { message, stack } = value instanceof Error ? value : { message: String(value), stack: '' };
    return printed(() => {
      for (const log of [
        () => logger.error(value),
        () => logger.error('failed', value),
        () => logger.error('failed', { err: value }),
        () => logger.error(message, stack),
        () => logger.log({ res: value }),
        () => logger.warn(value, 'Canary'),
      ])
        attempted(log);
    });
  };
}

/** What is written to the two standard streams meanwhile. */
function printed(work: () => void): string {
  const paper = new Paper();
  const restore = [process.stdout, process.stderr].map((stream) => redirected(stream, paper.write));
  try {
    work();
  } finally {
    for (const one of restore) one();
  }
  return paper.take();
}

let ways: Ways | undefined;

/** What pino, winston and Nest's loggers make of a value. */
export function loggerRenderings(value: unknown): Rendering[] {
  ways ??= { ...withPino(), ...withWinston(), ...withNest() };
  return Object.entries(ways).map(([how, write]) => ({ how, text: attempted(() => write(value)) ?? '' }));
}

/** winston, for one, throws where a value has a circle and no toJSON. */
function attempted<Result>(log: () => Result): Result | undefined {
  try {
    return log();
  } catch {
    return undefined;
  }
}
