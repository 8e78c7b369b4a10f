import type { AxiosAdapter } from 'axios';
import type { Config } from '../../wire/outgoing.js';

/** In tests: whether an adapter is a mock. In place of any other adapter, which would open connections, the engine sends. */
export type IsMock = (adapter: AxiosAdapter, config: Config) => boolean;
