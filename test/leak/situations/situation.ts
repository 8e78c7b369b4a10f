import type { AxiosRequestConfig } from 'axios';
import type { HttpOptions, TokenOptions } from '../../../lib/index.js';
import type { World } from './world.js';

/** What happens to a call, so that something might leak. */
export interface Situation {
  readonly name: string;
  readonly prepare: (world: World) => Prepared;
}

/** A world made ready, and the call to be made in it. */
export interface Prepared {
  /** Where the API is said to be. @default the simulator's */
  readonly baseUrl?: string;
  /** Where tokens are said to be had. @default the simulator's */
  readonly tokenUrl?: string;
  readonly http?: HttpOptions;
  readonly token?: TokenOptions;
  readonly request?: AxiosRequestConfig;
  /** The caller turns away from the observable then. */
  readonly unsubscribe?: Promise<unknown>;
  /** When all is over. */
  readonly afterwards?: () => void;
}
