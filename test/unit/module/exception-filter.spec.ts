import type { ArgumentsHost } from '@nestjs/common';
import { AxiosError } from 'axios';
import { isObservable, lastValueFrom } from 'rxjs';
import { expect, it } from 'vitest';
import { ProviderAuthExceptionFilter } from '../../../lib/module/exception-filter.js';
import { errorOf, failureOf } from '../../support/token/token-fixtures.js';

const hostOf = (kind: string): ArgumentsHost => ({ getType: () => kind }) as ArgumentsHost;

it.each([
  ['no token', failureOf],
  [
    'a 401 whose token could not be renewed',
    () => Object.assign(new AxiosError('401'), { cause: failureOf() }),
  ],
])('B35: the client of a microservice gets plain data about %s, without details', async (_, made) => {
  const result = new ProviderAuthExceptionFilter().catch(made(), hostOf('rpc'));
  expect(isObservable(result)).toBe(true);
  const thrown: unknown = await errorOf(lastValueFrom(result as Parameters<typeof lastValueFrom>[0]));
  expect(thrown).toStrictEqual({
    status: 'error',
    message: 'Service Unavailable',
    code: 'TOKEN_UNAVAILABLE',
  });
});

const EVENT = { status: 'error', message: 'Service Unavailable' };

it.each([
  ['Socket.IO', {}, ['exception', EVENT]],
  ['ws', { readyState: 1 }, [JSON.stringify({ event: 'exception', data: EVENT })]],
])('B35: the client of a gateway on %s gets an event without details', (_, state, expected) => {
  const emitted: unknown[] = [];
  const isWs = 'readyState' in state;
  // A socket of `ws` has both methods, and only the second one sends.
  const client = {
    ...state,
    emit: (...given: unknown[]) => !isWs && emitted.push(given),
    send: (...given: unknown[]) => emitted.push(given),
  };
  const host = { getType: () => 'ws', switchToWs: () => ({ getClient: () => client }) };
  const filter = new ProviderAuthExceptionFilter();
  expect(filter.catch(failureOf(), host as unknown as ArgumentsHost)).toBeUndefined();
  expect(emitted).toEqual([expected]);
});

it('B35: GraphQL gets the error itself', () => {
  const error = failureOf();
  expect(new ProviderAuthExceptionFilter().catch(error, hostOf('graphql'))).toBe(error);
});

it.each([
  ['the rest of the pause, rounded up', 2_500, '3'],
  ['one second at least', -5_000, '1'],
  ['five seconds if no pause is known', undefined, '5'],
])('B35: Retry-After is %s', (_, ms, expected) => {
  const headers: unknown[] = [];
  const reply = {
    status: () => reply,
    header: (...header: unknown[]) => (headers.push(header), reply),
    send: () => reply,
  };
  const host = { getType: () => 'http', switchToHttp: () => ({ getResponse: () => reply }) };
  const error = ms === undefined ? failureOf() : failureOf().copy(new Date(Date.now() + ms));
  new ProviderAuthExceptionFilter().catch(error, host as unknown as ArgumentsHost);
  expect(headers).toEqual([['Retry-After', expected]]);
});
