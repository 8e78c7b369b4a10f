import { expect, it } from 'vitest';
import { TokenTrial } from '../../support/token/token-trial.js';
import { startSimulator } from '../../support/application/simulator.js';

it.each([
  ['T01', 302, 'foreign'],
  ['T02', 307, 'foreign'],
  ['T03', 308, 'same'],
  ['T04', 305, 'foreign'],
  ['T05', 300, 'nowhere'],
  ['T01', 301, 'foreign'],
  ['T02', 303, 'same'],
  ['T02', 307, 'plain'],
] as const)(
  '%s B13 S9: %i to a %s host is refused, and the secret goes nowhere',
  async (_id, status, where) => {
    const trial = await TokenTrial.start();
    const foreign = await startSimulator();
    const location = {
      foreign: foreign.tokenUrl('easy', 'sandbox'),
      same: trial.provider.tokenUrl('easy', 'production'),
      plain: foreign.tokenUrl('easy', 'sandbox').replace('https:', 'http:'),
      nowhere: undefined,
    }[where];
    trial.provider.token.status(status, location === undefined ? {} : { headers: { location } });

    const { error } = await trial.ask();

    expect(error).toMatchObject({ name: 'TokenRequestError', code: 'TOKEN_RESPONSE_INVALID', status });
    expect(trial.provider.tokenRequests).toHaveLength(1);
    expect([...foreign.tokenRequests, ...foreign.apiRequests, ...trial.provider.apiRequests]).toEqual([]);
    expect(trial.leaks()).toEqual([]);
  },
);
