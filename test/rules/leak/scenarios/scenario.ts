import type { AxiosRequestConfig } from 'axios';
import type { HttpOptions, TokenOptions } from '../../../../lib/index.js';
import type { TestEnvironment } from './test-environment.js';

/** Something that happens to a call and might cause a leak. */
export interface Scenario {
  readonly name: string;
  readonly prepare: (testEnvironment: TestEnvironment) => Prepared;
}

/** The configuration of the client and the call, after the scenario has prepared the servers. */
export interface Prepared {
  /** The base URL of the client. @default the simulator's */
  readonly baseUrl?: string;
  /** The token URL of the client. @default the simulator's */
  readonly tokenUrl?: string;
  readonly http?: Partial<HttpOptions>;
  readonly token?: Partial<TokenOptions>;
  readonly request?: AxiosRequestConfig;
  /** The caller unsubscribes from the observable when this resolves. */
  readonly unsubscribe?: Promise<unknown>;
  /** Runs after the call. */
  readonly afterwards?: () => void;
}
