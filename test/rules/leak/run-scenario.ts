import { setTimeout } from 'node:timers/promises';
import { lastValueFrom, takeUntil } from 'rxjs';
import type { Client, CallStyle } from './clients.js';
import type { Prepared, Scenario } from './scenarios/scenario.js';
import type { TestEnvironment } from './scenarios/test-environment.js';
import { Recorder } from './recorder.js';

interface Choice {
  readonly connect: (prepared: Prepared) => Promise<Client>;
  readonly callStyle: CallStyle;
  /** Whether the caller also listens to progress. @default false */
  readonly progress?: boolean;
}

/** A caller that unsubscribed gets no result, but the interceptors get one after a moment. */
const SETTLED_MS = 20;

/** Runs a scenario once and returns the recorder of everything that the caller saw. */
export async function runScenario(
  scenario: Scenario,
  testEnvironment: TestEnvironment,
  choice: Choice,
): Promise<Recorder> {
  testEnvironment.reset();
  const recorder = new Recorder(testEnvironment);
  const prepared = scenario.prepare(testEnvironment);
  const client = await choice.connect(prepared);
  try {
    recorder.addInterceptors(client.service.axiosRef);
    const request = { url: '/payments', ...prepared.request };
    const hooked = recorder.withHooks(request, { progress: choice.progress ?? false });
    const responses = choice.callStyle(client.service, hooked);
    const ended = prepared.unsubscribe ? responses.pipe(takeUntil(prepared.unsubscribe)) : responses;
    const response = await lastValueFrom(ended, { defaultValue: undefined });
    if (response) await recorder.recordResponse(response);
  } catch (error) {
    await recorder.recordError(error);
  } finally {
    if (prepared.unsubscribe) await setTimeout(SETTLED_MS);
    prepared.afterwards?.();
    await client.close();
  }
  for (const [name, value] of Object.entries(client.visible)) recorder.recordResult(name, value);
  recorder.stop();
  return recorder;
}
