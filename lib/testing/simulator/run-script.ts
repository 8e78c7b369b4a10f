import { inspect } from 'node:util';
import { json } from './answer.js';
import type { AnyExchange } from './exchange.js';
import type { Script } from './script-queue.js';

/** Answers a request after its delay: with the script, or with the regular answer if there is no script. */
export function runScript<Kind extends AnyExchange>(exchange: Kind, script: Script<Kind> | undefined): void {
  const { timers, latencyMs, observers } = exchange.context;
  if (script) observers.note(exchange.request, { fault: script.id });
  const delayMs = latencyMs + (script?.scope.afterMs ?? 0);
  if (delayMs > 0) timers.after(delayMs, () => void answer(exchange, script));
  else void answer(exchange, script);
}

async function answer<Kind extends AnyExchange>(
  exchange: Kind,
  script: Script<Kind> | undefined,
): Promise<void> {
  const { response } = exchange;
  response.once('close', () => exchange.recordWrittenStatus());
  try {
    await (script ? script.action(exchange) : exchange.sendRegular());
  } catch (error) {
    // The author of a test must see the error of a handler, a key or a header, and must not take it for an answer of the
    // provider.
    if (response.headersSent) return void response.destroy();
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    exchange.send(json(500, { error: 'simulator_script_failed', error_description: inspect(error) }));
  }
}
