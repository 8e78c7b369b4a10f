import { Writable } from 'node:stream';
import { ConsoleLogger } from '@nestjs/common';
import { pino, stdSerializers } from 'pino';
import { createLogger, format, transports } from 'winston';
import { captureOutput } from './captured-output.js';
import type { Rendering } from './renderings.js';
import { attempted } from './walk.js';

/** Collects what a logger writes. `take()` returns the text since the last `take()`. */
class Output {
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

/** Ways to log a value. Each function logs the value and returns the text that the logger wrote. */
type Ways = Readonly<Record<string, (value: unknown) => string>>;

function withPino(): Ways {
  const output = new Output();
  const plain = pino({}, output);
  const standard = pino({ serializers: stdSerializers }, output);
  const everywhere = pino(
    { serializers: { error: stdSerializers.errWithCause, response: stdSerializers.res } },
    output,
  );
  return {
    'pino error(value)': (value) => (plain.error(value), output.take()),
    'pino {err}': (value) => (standard.error({ err: value }, 'failed'), output.take()),
    'pino {error}': (value) => (plain.error({ error: value }, 'failed'), output.take()),
    'pino {error} with its cause': (value) => (everywhere.error({ error: value }), output.take()),
    'pino {response}': (value) => (plain.info({ response: value }), output.take()),
    'pino {res}': (value) => (standard.info({ res: value, req: value }), output.take()),
    'pino %o': (value) => (plain.error('failed: %o', value as object), output.take()),
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
      const output = new Output();
      const logger = createLogger({
        format: chosen,
        transports: [new transports.Stream({ stream: output.stream })],
      });
      const write = (value: unknown): string => {
        for (const log of [
          () => logger.error(value as Error),
          () => logger.error('failed', value),
          () => logger.error('failed', { err: value, error: value, response: value }),
          () => logger.log('error', 'failed: %s %j %o', value, value, value),
        ])
          attempted(log);
        return output.take();
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

/** The output on the two standard streams during some work. */
function printed(work: () => void): string {
  const endCapture = captureOutput();
  attempted(work);
  return endCapture();
}

let ways: Ways | undefined;

/** The texts that pino, winston and the loggers of NestJS make of a value. winston throws for a value that contains itself. */
export function loggerRenderings(value: unknown): Rendering[] {
  ways ??= { ...withPino(), ...withWinston(), ...withNest() };
  return Object.entries(ways).map(([how, write]) => ({ how, text: attempted(() => write(value)) ?? '' }));
}
