import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  httpUnauthorizedChannel,
  providerStateChannel,
  storeStateChannel,
  tokenCacheChannel,
  tokenRequestChannel,
} from '../../../lib/events/provider-auth-events.js';

describe('the events', () => {
  it('have the names that are documented', () => {
    const channels = [
      tokenRequestChannel,
      tokenCacheChannel,
      httpUnauthorizedChannel,
      providerStateChannel,
      storeStateChannel,
    ];
    expect(channels.map(({ name }) => name)).toEqual([
      'provider-auth:token-request',
      'provider-auth:token-cache',
      'provider-auth:http-unauthorized',
      'provider-auth:provider-state',
      'provider-auth:store-state',
    ]);
  });

  it('know whether there is a subscriber, and reach it', () => {
    const received: unknown[] = [];
    const listen = (event: unknown): void => {
      received.push(event);
    };
    expect(tokenCacheChannel.hasSubscribers).toBe(false);
    subscribe('provider-auth:token-cache', listen);
    onTestFinished(() => void unsubscribe('provider-auth:token-cache', listen));
    expect(tokenCacheChannel.hasSubscribers).toBe(true);
    const event = {
      provider: 'provider',
      interface: 'easy',
      environment: 'sandbox',
      result: 'miss',
    } as const;
    tokenCacheChannel.publish(event);
    expect(received).toEqual([event]);
    unsubscribe('provider-auth:token-cache', listen);
    expect(tokenCacheChannel.hasSubscribers).toBe(false);
  });
});
