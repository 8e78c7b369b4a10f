import type { RenewalFigures } from '../../fleet/simulated-fleet.js';
import { lineChart } from '../chart.js';
import { kib, paragraph, table, whole } from '../markdown.js';
import type { Shown } from './shown.js';

export interface FleetScaleFigures {
  readonly endpointMs: number;
  readonly roundTripMs: number;
  readonly timeoutMs: number;
  readonly scriptMs: number;
  readonly measured: readonly RenewalFigures[];
  readonly computed: readonly (RenewalFigures & { readonly spreadMs: number })[];
  readonly limit: readonly (RenewalFigures & { readonly timeoutMs: number; readonly scriptMs: number })[];
  readonly regions: readonly (RenewalFigures & { readonly regions: number })[];
}

const HEADS = [
  'commands',
  'KiB to Redis',
  'KiB from Redis',
  'claims per process',
  'token requests',
  'longest wait, ms',
];

function costs({
  commands,
  bytesToRedis,
  bytesFromRedis,
  looks,
  tokenRequests,
  longestWaitMs,
}: RenewalFigures): string[] {
  return [
    whole(commands),
    kib(bytesToRedis),
    kib(bytesFromRedis),
    looks.toFixed(1),
    whole(tokenRequests),
    whole(longestWaitMs),
  ];
}

function arrival(spreadMs: number): string {
  return spreadMs === 0 ? 'at once' : `within ${spreadMs / 1_000} s`;
}

export const fleetScale: Shown<FleetScaleFigures> = {
  blocks: ({ figures: { measured, computed, limit, regions, scriptMs, roundTripMs, endpointMs } }) => ({
    measured: table(
      ['processes', ...HEADS],
      measured.map((one) => [whole(one.size), ...costs(one)]),
    ),
    computed: table(
      ['processes', 'calls come', ...HEADS],
      computed.map((one) => [whole(one.size), arrival(one.spreadMs), ...costs(one)]),
    ),
    limit: table(
      ['processes', '`timeoutMs`', 'ms of a script', ...HEADS],
      limit.map((one) => [whole(one.size), one.timeoutMs, one.scriptMs.toFixed(3), ...costs(one)]),
    ),
    regions: table(
      ['Redis servers', ...HEADS],
      regions.map((one) => [one.regions, ...costs(one)]),
    ),
    settings: paragraph(
      `The token endpoint answers after ${endpointMs} ms. In the computed figures, a round trip to Redis takes ` +
        `${roundTripMs} ms, and each script ${scriptMs} ms, as measured on this machine.`,
    ),
  }),
  charts: ({ figures: { measured, computed } }) => {
    const spreads = [...new Set(computed.map(({ spreadMs }) => spreadMs))];
    const title = 'Redis commands to replace the token of a fleet (fewer is better)';
    return {
      'fleet-scale': lineChart({
        name: 'fleet-scale',
        title,
        description: `Commands by the number of processes. ${computed
          .map(
            ({ size, spreadMs, commands }) =>
              `${whole(size)} processes, calls ${arrival(spreadMs)}: ${whole(commands)}.`,
          )
          .join(' ')}`,
        xTitle: 'processes',
        series: [
          ...spreads.map((spreadMs) => ({
            label: `computed, calls come ${arrival(spreadMs)}`,
            marks: 'line' as const,
            points: computed
              .filter((one) => one.spreadMs === spreadMs)
              .map(({ size, commands }) => [size, commands] as const),
          })),
          {
            label: 'measured, calls come at once',
            marks: 'squares',
            points: measured.map(({ size, commands }) => [size, commands] as const),
          },
        ],
      }),
    };
  },
};
