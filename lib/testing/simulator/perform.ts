import { inspect } from 'node:util';
import { json } from './answer.js';
import type { Exchange } from './exchange.js';
import type { Script } from './script-queue.js';

/** Plays the script, or the regular answer where there is none. */
export function perform<Kind extends Exchange>(exchange: Kind, script: Script<Kind> | undefined): void {
  const { timers, latencyMs } = exchange.stage;
  const wait = latencyMs + (script?.scope.afterMs ?? 0);
  if (wait > 0) timers.after(wait, () => void act(exchange, script));
  else void act(exchange, script);
}

async function act<Kind extends Exchange>(exchange: Kind, script: Script<Kind> | undefined): Promise<void> {
  if (!script) return exchange.sendRegular();
  const { response } = exchange;
  response.once('close', () => exchange.noteAnswer());
  try {
    await script.action(exchange);
  } catch (error) {
    // A handler's mistake belongs in front of the person who wrote it, and must not look like the provider's doing.
    if (response.headersSent) response.destroy();
    else exchange.send(json(500, { error: 'simulator_script_failed', error_description: inspect(error) }));
  }
}
