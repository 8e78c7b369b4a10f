import { table, whole } from '../markdown.js';
import type { Shown } from './shown.js';

export interface SoakFigures {
  readonly seconds: number;
  readonly callsPerSecond: number;
  readonly seed: number;
  readonly calls: number;
  readonly resent: number;
  readonly tokenRequests: { readonly brought: number; readonly failed: number };
  readonly wrong: number;
  /** The medians of each third of the run, without the warm-up. */
  readonly thirds: readonly {
    readonly heapMib: number;
    readonly clientSockets: number;
    readonly serverSockets: number;
  }[];
}

export interface PairFigures {
  readonly seed: number;
  readonly transports: readonly {
    readonly transport: string;
    readonly pairs: number;
    /** Calls that went the direct path. */
    readonly express: number;
    readonly differences: number;
  }[];
}

/** The calls of two builds with one transport and one axios. */
export interface BuildRow {
  readonly transport: string;
  readonly axios: string;
  /** Calls of axios or `HttpService`. */
  readonly pairs: number;
  readonly fetchPairs: number;
  readonly differences: number;
}

export interface BuildFigures {
  readonly seed: number;
  /** The commit of the other build. */
  readonly before: string;
  readonly rows: readonly BuildRow[];
}

export const soak: Shown<SoakFigures> = {
  blocks: ({ figures: { seconds, callsPerSecond, seed, calls, resent, tokenRequests, wrong, thirds } }) => ({
    counts: table(
      ['soak', 'count'],
      [
        ['seconds', whole(seconds)],
        ['calls per second', callsPerSecond],
        ['seed', seed],
        ['calls', whole(calls)],
        ['– resent', whole(resent)],
        ['token requests that brought a token', whole(tokenRequests.brought)],
        ['token requests that met a fault', whole(tokenRequests.failed)],
        ['wrong outcomes', whole(wrong)],
      ],
    ),
    thirds: table(
      ['medians', 'first third', 'second', 'last'],
      [
        ['heap after collection, MiB', ...thirds.map(({ heapMib }) => heapMib.toFixed(1))],
        ['sockets of the clients', ...thirds.map(({ clientSockets }) => clientSockets)],
        ['sockets of the providers', ...thirds.map(({ serverSockets }) => serverSockets)],
      ],
    ),
  }),
};

export const pairs: Shown<PairFigures> = {
  blocks: ({ figures: { seed, transports } }) => ({
    counts: table(
      ['pairs of calls', 'seed', 'pairs', 'on the direct path', 'kinds of differences'],
      transports.map(({ transport, pairs: count, express, differences }) => [
        transport,
        seed,
        whole(count),
        whole(express),
        differences,
      ]),
    ),
  }),
};

export const builds: Shown<BuildFigures> = {
  blocks: ({ figures: { seed, before, rows } }) => ({
    counts: table(
      [
        'pairs of two builds',
        'axios',
        'compared with',
        'seed',
        'pairs',
        'pairs of `fetch`',
        'kinds of differences',
      ],
      rows.map((row) => [
        row.transport,
        row.axios,
        `\`${before}\``,
        seed,
        whole(row.pairs),
        whole(row.fetchPairs),
        row.differences,
      ]),
    ),
  }),
};
