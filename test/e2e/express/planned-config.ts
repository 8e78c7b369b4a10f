import type { AxiosRequestConfig } from 'axios';
import type { CallPlan, End } from './call-plan.js';
import { BODIES, HEADER_SETS, HEADER_VALUES, newCancelToken, optionValue, PARAMS } from './call-values.js';

/** What a call gets, and how the caller can end the call. */
export interface PlannedConfig {
  readonly url: string | undefined;
  readonly method: string | undefined;
  readonly body: unknown;
  readonly hasBody: boolean;
  /** Everything else. */
  config: AxiosRequestConfig;
  /** What is done with the config when the call is made. */
  shape: CallPlan['shape'];
  end(): void;
}

/**
 * Creates the config of a call. Each path gets a new one, because a call can change what it gets.
 *
 * @param timeoutMs the timeout of a call that ends by its timeout.
 */
export function plannedConfig(plan: CallPlan, baseUrl: string, timeoutMs: number): PlannedConfig {
  const { url, params, headers, body, options } = plan;
  const config: Record<string, unknown> = {};
  for (const [name, index] of options) config[name] = optionValue(name, index, baseUrl);
  if (params) config['params'] = PARAMS[params.kind](params.text);
  if (headers) {
    const entries = headers.entries.map(([name, value]) => [name, HEADER_VALUES[value]()] as const);
    config['headers'] = HEADER_SETS[headers.kind](entries);
  }
  const end = addEnd(config, plan.end, timeoutMs);
  const text = url.absolute ? `${baseUrl}${url.text ?? ''}` : url.text;
  return {
    url: text,
    method: plan.method,
    body: body && BODIES[body.kind](body.text),
    hasBody: body !== undefined,
    config,
    shape: plan.shape,
    end,
  };
}

/** Gives the config what the caller needs to end the call. */
function addEnd(config: Record<string, unknown>, end: End | undefined, timeoutMs: number): () => void {
  if (end === undefined) return () => undefined;
  const means: (() => void)[] = [];
  if (end.startsWith('signal')) {
    const controller = new AbortController();
    config['signal'] = controller.signal;
    means.push(() => controller.abort(end.endsWith('reason') ? new RangeError('the reason') : undefined));
  }
  if (end.includes('cancelToken')) {
    const { token, cancel } = newCancelToken();
    config['cancelToken'] = token;
    means.push(() => cancel('the caller cancelled'));
  }
  if (end.startsWith('timeout')) config['timeout'] = timeoutMs;
  const endAll = (): void => {
    for (const mean of means) mean();
  };
  if (end.includes('before')) endAll();
  return endAll;
}
