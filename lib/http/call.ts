import type { InternalAxiosRequestConfig } from 'axios';
import type { Clock } from '../time/clock.js';
import { outliveErrorsOf } from './adapter/bridged-body.js';
import { CallBudget } from './adapter/call-budget.js';
import { CallTrace } from './redaction/call-trace.js';
import type { Carrier } from './adapter/adapter-traits.js';
import { fixedFormType } from './adapter/wire-config.js';
import { takeAgents, type WithheldAgents } from './adapter/withheld-agents.js';

/** One call of a caller: what stays the same over its attempts. */
export class Call {
  readonly budget: CallBudget;
  readonly trace: CallTrace;
  readonly formType: string | undefined;
  #agents: WithheldAgents | undefined;

  constructor(
    /** Theirs: no token is ever in it, and every result shows it. */
    readonly config: InternalAxiosRequestConfig,
    readonly carrier: Carrier,
    clock: Clock,
    agents?: WithheldAgents,
  ) {
    this.trace = new CallTrace(config);
    this.budget = new CallBudget(this.trace, clock);
    this.formType = carrier.isHttp ? fixedFormType(config) : undefined;
    this.#agents = agents;
    outliveErrorsOf(config.data);
  }

  /** The agents of this call, with those that have come into its config since. */
  takeAgents(): WithheldAgents | undefined {
    return (this.#agents = takeAgents(this.config, this.#agents));
  }
}
