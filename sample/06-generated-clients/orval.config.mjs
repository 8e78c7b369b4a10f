const input = './openapi.json';

export default {
  // Functions that take an axios instance.
  'orval-axios': {
    input,
    output: { target: 'src/generated/orval-axios/payments.ts', client: 'axios' },
  },
  // Functions that call `send` of `orval-send.ts` in place of the global `fetch`.
  'orval-fetch': {
    input,
    output: {
      target: 'src/generated/orval-fetch/payments.ts',
      client: 'fetch',
      override: { mutator: { path: 'src/orval-send.ts', name: 'send', extension: '.js' } },
    },
  },
};
