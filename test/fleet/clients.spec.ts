import { clientsOfThisRun } from '../support/fleet/redis-clients.js';
import { tryClients } from '../support/fleet/client-trial.js';

tryClients(
  clientsOfThisRun([
    'node-redis 6',
    'node-redis 5 with RESP 3 and replies as bytes',
    'node-redis 5, cluster',
  ]),
);
