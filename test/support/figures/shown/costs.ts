import { table } from '../markdown.js';
import type { Shown } from './shown.js';

export interface GetTokenFigures {
  readonly calledUs: number;
  readonly awaitedUs: number;
  readonly mostUs: number;
}

export interface InProcessFigures {
  readonly mostUs: number;
  readonly rows: readonly {
    readonly name: string;
    readonly plainUs: number;
    readonly oursUs: number;
    readonly addedUs: number;
  }[];
}

export interface ImportFigures {
  readonly mostMs: number;
  readonly rows: readonly {
    readonly name: string;
    readonly ms: number;
    readonly cpuMs: number;
    readonly isLimited: boolean;
  }[];
}

export interface BootFigures {
  readonly limits: { readonly definitions: number; readonly mostMs: number; readonly mostKib: number };
  readonly rows: readonly {
    readonly way: string;
    readonly definitions: number;
    readonly ms: number;
    readonly cpuMs: number;
    readonly kibOfPair: number;
  }[];
}

export const boot: Shown<BootFigures> = {
  blocks: ({ figures: { limits, rows } }) => ({
    times: table(
      ['options from', 'definitions', 'ms', 'CPU ms', 'at most', 'KiB for each pair', 'at most'],
      rows.map(({ way, definitions, ms, cpuMs, kibOfPair }) => {
        const isLimited = definitions === limits.definitions;
        return [
          way,
          definitions,
          ms.toFixed(0),
          cpuMs.toFixed(0),
          isLimited ? limits.mostMs : 'no limit',
          kibOfPair.toFixed(1),
          isLimited ? limits.mostKib : 'no limit',
        ];
      }),
    ),
  }),
};

export const getToken: Shown<GetTokenFigures> = {
  blocks: ({ figures: { calledUs, awaitedUs, mostUs } }) => ({
    cost: table(
      ['`getToken()` with a cached token', 'µs'],
      [
        ['called', calledUs.toFixed(2)],
        [`awaited (at most ${mostUs})`, awaitedUs.toFixed(2)],
      ],
    ),
  }),
};

export const inProcess: Shown<InProcessFigures> = {
  blocks: ({ figures: { rows, mostUs } }) => ({
    cost: table(
      ['CPU time of a call, in µs', 'without us', 'with us', `added (at most ${mostUs})`],
      rows.map(({ name, plainUs, oursUs, addedUs }) => [
        name,
        plainUs.toFixed(1),
        oursUs.toFixed(1),
        addedUs.toFixed(1),
      ]),
    ),
  }),
};

export const importing: Shown<ImportFigures> = {
  blocks: ({ figures: { rows } }) => ({
    times: table(
      ['loading', 'ms', 'CPU ms'],
      rows.map(({ name, ms, cpuMs }) => [name, ms.toFixed(1), cpuMs.toFixed(1)]),
    ),
  }),
};
