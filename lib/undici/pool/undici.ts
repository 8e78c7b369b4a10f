// This module must be evaluated before undici is: it remembers what undici 8 replaces.
import { restoreDispatcherOfHost } from './global-dispatcher.js';
import { buildConnector, Client, Pool } from 'undici';

/** What this entry uses of undici. No other file imports values from there. */
export const undici = {
  buildConnector,
  Client,
  Pool,
  replacesDispatcherOfHost: restoreDispatcherOfHost(),
};
