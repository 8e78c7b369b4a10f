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

/** What `test/package/apps/whole-way` tells of itself wherever it runs. */
export const EXPECTED_REPORT = {
  // By entry: what differs between its imported and its required form.
  entries: {
    'nestjs-provider-auth': [],
    'nestjs-provider-auth/opentelemetry': [],
    'nestjs-provider-auth/redis': [],
    'nestjs-provider-auth/terminus': [],
    'nestjs-provider-auth/testing': [],
    'nestjs-provider-auth/undici': [],
  },
  // B19: each is refused for the one thing that is wrong.
  certificates: {
    trusted: 'trusted',
    expired: 'CERT_HAS_EXPIRED',
    'wrong-host': 'ERR_TLS_CERT_ALTNAME_INVALID',
    'self-signed': 'DEPTH_ZERO_SELF_SIGNED_CERT',
    'of another authority': 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'of one of two authorities': 'trusted',
  },
  express: behindHttp,
  fastify: behindHttp,
  withoutRedis: { ...inContext, warnings: ['The token store fails'], redisWasOff: true },
  overUndici: { ...inContext, sentByUndici: 4 },
  problems: ['PROVIDER_ORIGINATIONS_TOKEN_URL'],
};
