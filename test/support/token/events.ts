import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';

/** What a channel of this package publishes from now on, until the test ends. */
export function eventsOf<Event>(name: string): Event[] {
  const events: Event[] = [];
  const listen = (event: unknown): void => void events.push(event as Event);
  subscribe(`provider-auth:${name}`, listen);
  onTestFinished(() => void unsubscribe(`provider-auth:${name}`, listen));
  return events;
}
