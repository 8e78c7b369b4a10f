import type { Cell } from './cell.js';

const CALLERS = 10;

const behindHttp = {
  calls: Array.from({ length: CALLERS }, () => 'easy sandbox'),
  tokenRequests: 1,
  recovered: 'easy sandbox',
  statuses: [401, 200],
  tokenRequestsInAll: 2,
  health: 'ok',
  counted: 2,
  warnings: [],
};

const inContext = {
  calls: ['easy sandbox', 'easy sandbox'],
  recovered: 'easy sandbox',
  statuses: [200, 200, 401, 200],
  tokenRequests: 2,
  warnings: [],
};

/** The report of `test/package/apps/whole-way`. It is the same in each cell, except for one warning. */
const REPORT = {
  // For each entry: the exports that differ between `import` and `require`.
  entries: {
    'nestjs-provider-auth': [],
    'nestjs-provider-auth/opentelemetry': [],
    'nestjs-provider-auth/redis': [],
    'nestjs-provider-auth/terminus': [],
    'nestjs-provider-auth/testing': [],
    'nestjs-provider-auth/undici': [],
  },
  express: behindHttp,
  fastify: behindHttp,
  withoutRedis: { ...inContext, warnings: ['The token store fails'], redisWasOff: true },
  overUndici: { ...inContext, sentByUndici: 4 },
  // B36: responses that end their connection, on each undici of the range.
  closingAnswers: { fetch: [1, 65_536, 1_048_576], stream: [1, 65_536, 1_048_576] },
  goodNeighbour: {
    ownFetch: ['hello', 'function'],
    // A token and a call with each of the two transports.
    behindProxy: { answers: ['easy sandbox', 'easy sandbox'], tunnels: 4, tunnelsElsewhere: [] },
  },
  problems: ['PROVIDER_ORIGINATIONS_TOKEN_URL'],
};

const WARNING = "undici 8 replaces the dispatcher of this Node's own fetch";

/** The report of a cell that passed. */
export function expectedReport({ row, app }: Cell): object {
  const undici8 = app.set.dependencies['undici']?.startsWith('8.') === true;
  if (!undici8 || row.warnsOfUndici8 !== true) return REPORT;
  return { ...REPORT, overUndici: { ...REPORT.overUndici, warnings: [WARNING] } };
}
