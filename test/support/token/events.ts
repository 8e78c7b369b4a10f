import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { onTestFinished } from 'vitest';

/** What a channel publishes from now on, until the test ends. */
export function messagesOf<Message>(channel: string): Message[] {
  const messages: Message[] = [];
  const listen = (message: unknown): void => void messages.push(message as Message);
  subscribe(channel, listen);
  onTestFinished(() => void unsubscribe(channel, listen));
  return messages;
}

/** What a channel of this package publishes from now on, until the test ends. */
export const eventsOf = <Event>(name: string): Event[] => messagesOf<Event>(`provider-auth:${name}`);
