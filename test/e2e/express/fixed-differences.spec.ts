import { Logger } from '@nestjs/common';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TransportName } from './clients.js';
import { shown } from './difference.js';
import { type Pair, pairWith } from './pair.js';
import { comparePair } from './pair-runner.js';

const TRANSPORTS: readonly TransportName[] = ['axios', 'undici'];

function withHeader(name: string, value: 'null' | 'undefined'): Pair {
  const other = ['X-Own', 'text'] as const;
  return pairWith({ call: { headers: { kind: 'plain object', entries: [[name, value], other] } } });
}

/** Each pair had two outcomes once. Random calls are rarely like these. */
const FIXED: Readonly<Record<string, Pair>> = {
  'a config with a member that is not enumerable': pairWith({ call: { shape: 'with a hidden member' } }),
  'User-Agent: null': withHeader('User-Agent', 'null'),
  'User-Agent: undefined': withHeader('User-Agent', 'undefined'),
  'Accept-Encoding: null': withHeader('accept-encoding', 'null'),
  'Accept-Encoding: undefined': withHeader('Accept-Encoding', 'undefined'),
  'an encoded answer that is cut short': pairWith({
    answers: [
      { status: 200, reason: 'OK', headers: [], body: 'object', encoding: 'gzip', framing: 'too-long' },
    ],
  }),
  'an interceptor that removes the values of both': pairWith({
    instance: { requestInterceptors: ['transport headers without a value'] },
  }),
};

describe.each(TRANSPORTS)('two paths that had two outcomes, by %s', (transport) => {
  // The library warns about bodies that it cannot send again.
  beforeAll(() => Logger.overrideLogger(false));

  it.each(Object.entries(FIXED))('B17: have the same outcome for %s', async (_, pair) => {
    const differences = await comparePair(pair, transport);
    expect(differences.map(shown).join('\n')).toBe('');
  });
});
