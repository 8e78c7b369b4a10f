import type { AxiosRequestConfig, AxiosResponse } from 'axios';
import type { Observable, Subscription } from 'rxjs';
import type { CallPlan } from './call-plan.js';
import type { PathClient } from './clients.js';
import { SHAPES } from './call-values.js';
import type { PlannedConfig } from './planned-config.js';

/** How a call ended: with which events, and with which values. */
export interface CallEnd {
  readonly events: string[];
  value?: unknown;
  error?: unknown;
}

/** A call that is under way. */
export interface MadeCall {
  readonly ended: Promise<CallEnd>;
  /** Only a call through an observable can be unsubscribed. */
  unsubscribe(): void;
}

type Method = 'get' | 'delete' | 'head' | 'post' | 'put' | 'patch';

const WITHOUT_BODY = new Set(['get', 'delete', 'head']);
const WITH_BODY = new Set(['post', 'put', 'patch']);

/** Makes a call in the way that its plan names. */
export function makeCall(client: PathClient, plan: CallPlan, planned: PlannedConfig): MadeCall {
  const { axios, service } = client;
  switch (plan.via) {
    case 'axios(config)':
      return ofPromise(() => axios(fullConfig(planned)));
    case 'request':
      return ofPromise(() => axios.request(fullConfig(planned)));
    case 'axios(url, config)':
      return ofPromise(() => axios(planned.url ?? '', fullConfig(planned)));
    case 'service.request':
      return ofObservable(() => service.request(fullConfig(planned)));
    case 'method':
    case 'service':
    default:
      return callByMethod(client, plan, planned);
  }
}

function callByMethod({ axios, service }: PathClient, plan: CallPlan, planned: PlannedConfig): MadeCall {
  const { url = '', config, body } = planned;
  const isService = plan.via === 'service';
  const name = planned.method as Method;
  if (WITH_BODY.has(name)) {
    const post = name as 'post';
    const given = Object.keys(config).length === 0 ? undefined : shaped(planned);
    return isService
      ? ofObservable(() => service[post](url, body, given))
      : ofPromise(() => axios[post](url, body, given));
  }
  const get = (WITHOUT_BODY.has(name) ? name : 'get') as 'get';
  if (planned.hasBody) complete(config, { data: body });
  const given = Object.keys(config).length === 0 ? undefined : shaped(planned);
  return isService ? ofObservable(() => service[get](url, given)) : ofPromise(() => axios[get](url, given));
}

function fullConfig(planned: PlannedConfig): AxiosRequestConfig {
  const { url, method, hasBody, body, config } = planned;
  complete(config, {
    ...(url !== undefined && { url }),
    ...(method !== undefined && { method }),
    ...(hasBody && { data: body }),
  });
  return shaped(planned);
}

/** A frozen config is complete: the plan makes the same call again. */
function complete(config: AxiosRequestConfig, members: AxiosRequestConfig): void {
  if (!Object.isFrozen(config)) Object.assign(config, members);
}

/** From now on, the config is the object that the call gets. */
function shaped(planned: PlannedConfig): AxiosRequestConfig {
  const { shape } = planned;
  if (shape !== undefined) planned.config = SHAPES[shape](planned.config);
  planned.shape = undefined;
  return planned.config;
}

function ofPromise(send: () => Promise<AxiosResponse>): MadeCall {
  return { ended: endOf(send), unsubscribe: () => undefined };
}

async function endOf(send: () => Promise<AxiosResponse>): Promise<CallEnd> {
  let call: Promise<AxiosResponse>;
  try {
    call = send();
  } catch (error) {
    return { events: ['thrown'], error };
  }
  try {
    return { events: ['resolved'], value: await call };
  } catch (error) {
    return { events: ['rejected'], error };
  }
}

function ofObservable(send: () => Observable<AxiosResponse>): MadeCall {
  const end: CallEnd = { events: [] };
  let subscription: Subscription | undefined;
  let finish: (() => void) | undefined;
  const ended = new Promise<CallEnd>((resolve) => {
    finish = () => resolve(end);
    subscription = send().subscribe({
      next(value) {
        end.events.push('next');
        end.value = value;
      },
      error(error: unknown) {
        end.events.push('error');
        end.error = error;
        finish?.();
      },
      complete() {
        end.events.push('complete');
        finish?.();
      },
    });
  });
  return {
    ended,
    unsubscribe() {
      end.events.push('unsubscribed');
      subscription?.unsubscribe();
      // Events after this moment would be wrong, and get a short time to occur.
      setTimeout(() => finish?.(), 20);
    },
  };
}
