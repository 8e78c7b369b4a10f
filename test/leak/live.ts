import { setTimeout } from 'node:timers/promises';
import { lastValueFrom, takeUntil } from 'rxjs';
import type { Client, Road } from './clients.js';
import type { Prepared, Situation } from './situations/situation.js';
import type { World } from './situations/world.js';
import { Witness } from './witness.js';

interface Choice {
  readonly connect: (prepared: Prepared) => Promise<Client>;
  readonly road: Road;
  /** Whether to listen to progress as well. @default false */
  readonly progress?: boolean;
}

/** Whoever unsubscribed is told nothing; interceptors are, in a moment. */
const SETTLED_MS = 20;

/** Lives through a situation once, and tells who saw what. */
export async function live(situation: Situation, world: World, choice: Choice): Promise<Witness> {
  world.reset();
  const witness = new Witness(world);
  const prepared = situation.prepare(world);
  const client = await choice.connect(prepared);
  try {
    witness.listenTo(client.service.axiosRef);
    const request = { url: '/payments', ...prepared.request };
    const hooked = witness.hookedInto(request, { progress: choice.progress ?? false });
    const answer = choice.road(client.service, hooked);
    const ended = prepared.unsubscribe ? answer.pipe(takeUntil(prepared.unsubscribe)) : answer;
    const response = await lastValueFrom(ended, { defaultValue: undefined });
    if (response) await witness.sawResponse(response);
  } catch (error) {
    await witness.sawError(error);
  } finally {
    if (prepared.unsubscribe) await setTimeout(SETTLED_MS);
    prepared.afterwards?.();
    await client.close();
  }
  for (const [name, value] of Object.entries(client.visible)) witness.sawResult(name, value);
  return witness;
}
