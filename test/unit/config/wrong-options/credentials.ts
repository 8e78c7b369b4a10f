import { Secret } from '../../../../lib/secrets/secret.js';
import { REMOVED } from '../../../support/secrets/config-canaries.js';
import { EASY, type Refusal, refused } from './refusal.js';

export const CREDENTIALS: readonly Refusal[] = [
  refused(
    'no client id',
    { [`${EASY}.clientId`]: REMOVED },
    `${EASY}.clientId: is missing. Set it to the client id`,
  ),
  refused('an empty client id', { [`${EASY}.clientId`]: '' }, `${EASY}.clientId: is empty`),
  refused('a number as client id', { [`${EASY}.clientId`]: 1234 }, `${EASY}.clientId: not a number`),
  refused(
    'a function as client id',
    { [`${EASY}.clientId`]: () => 'canary' },
    `${EASY}.clientId: not a function`,
  ),
  refused(
    'a client id with a space before it',
    { [`${EASY}.clientId`]: ' canary' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id with a no-break space after it',
    { [`${EASY}.clientId`]: 'canary\u00a0' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id with an invisible mark before it',
    { [`${EASY}.clientId`]: '\ufeffcanary' },
    `${EASY}.clientId: white space`,
  ),
  refused(
    'a client id that is a placeholder',
    { [`${EASY}.clientId`]: '<CLIENT_ID>' },
    `${EASY}.clientId: placeholder`,
  ),
  refused(
    'one client id in both environments',
    { 'interfaces.easy.production.clientId': 'canary-id-es' },
    'interfaces.easy.production.clientId: is the same as interfaces.easy.sandbox.clientId',
  ),
  refused(
    'one client id in both environments, beside another problem of the pair',
    { 'interfaces.easy.production.clientId': 'canary-id-es', 'interfaces.easy.production.baseUrl': '' },
    'interfaces.easy.production.baseUrl: is empty',
    'interfaces.easy.production.clientId: is the same as',
  ),
  refused(
    'a Secret of nothing as client secret',
    { [`${EASY}.clientSecret`]: new Secret(undefined as unknown as string) },
    `${EASY}.clientSecret: must be a string, a Secret or a function that returns one, not undefined`,
  ),
  refused('no client secret', { [`${EASY}.clientSecret`]: REMOVED }, `${EASY}.clientSecret: is missing`),
  refused(
    'a client secret of white space',
    { [`${EASY}.clientSecret`]: '   ' },
    `${EASY}.clientSecret: contains nothing but white space`,
  ),
  refused(
    'a client secret with a line break at its end',
    { [`${EASY}.clientSecret`]: 'canary\n' },
    `${EASY}.clientSecret: line break`,
  ),
  refused(
    'a client secret with a null in it',
    { [`${EASY}.clientSecret`]: 'can\0ary' },
    `${EASY}.clientSecret: control character`,
  ),
  refused(
    'a client secret with half a character',
    { [`${EASY}.clientSecret`]: 'canary\ud800canary' },
    `${EASY}.clientSecret: control character`,
  ),
  refused(
    'a client secret with the text changeme',
    { [`${EASY}.clientSecret`]: 'changeme' },
    `${EASY}.clientSecret: placeholder`,
  ),
  refused(
    'a printed Secret as client secret',
    { [`${EASY}.clientSecret`]: '[redacted]' },
    `${EASY}.clientSecret: placeholder`,
  ),
  refused(
    'an object as client secret',
    { [`${EASY}.clientSecret`]: { value: 'canary' } },
    `${EASY}.clientSecret: a string, a Secret or a function`,
  ),
  refused('null as client secret', { [`${EASY}.clientSecret`]: null }, `${EASY}.clientSecret: not null`),
  refused(
    'a misspelt credential',
    { [`${EASY}.client_id`]: 'canary' },
    `${EASY}.client_id: Did you mean clientId?`,
  ),
  refused(
    'an unknown member of a pair',
    { [`${EASY}.scope`]: 'canary' },
    `${EASY}.scope: Known here: tokenUrl, baseUrl, clientId, clientSecret, tls.`,
  ),
];
