import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import { EasyHttpService } from 'nestjs-provider-auth';
import type { ProviderSimulator } from 'nestjs-provider-auth/testing';
import { undiciTransport } from 'nestjs-provider-auth/undici';
import { AppModule } from './app.module.js';
import { OwnWarnings } from './own-warnings.js';

const SIZES = [1, 65_536, 1_048_576];

/** The time until undici has noticed that a connection has ended. No event that a caller sees shows it. */
const UNTIL_THE_END_IS_NOTICED_MS = 300;

/** Reads responses that end their connection after that end (nodejs/undici#5360). Returns how many bytes arrived. */
export async function closingAnswers(provider: ProviderSimulator) {
  provider.reset();
  provider.api.handler((request, response) => {
    const size = Number(new URL(request.url ?? '', 'https://localhost').searchParams.get('size'));
    response.writeHead(200, { Connection: 'close', 'Content-Length': size });
    response.end(Buffer.alloc(size));
  });
  const app = await NestFactory.createApplicationContext(
    AppModule.with(provider.options({ http: { transport: undiciTransport() } })),
    { logger: new OwnWarnings() },
  );
  const { axiosRef, fetch } = app.get(EasyHttpService);
  const paths = SIZES.map((size) => `/closing?size=${size}`);
  const fetched = await Promise.all(paths.map((path) => fetch(path)));
  const streamed = await Promise.all(
    paths.map((path) => axiosRef.get<Readable>(path, { responseType: 'stream' })),
  );
  await pause(UNTIL_THE_END_IS_NOTICED_MS);
  const received = { fetch: [] as number[], stream: [] as number[] };
  for (const response of fetched) received.fetch.push((await response.arrayBuffer()).byteLength);
  for (const { data } of streamed) {
    let length = 0;
    for await (const chunk of data) length += (chunk as Buffer).length;
    received.stream.push(length);
  }
  await app.close();
  return received;
}
