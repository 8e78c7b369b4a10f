import { Secret } from '../../../../lib/secrets/secret.js';
import { REMOVED } from '../../../support/secrets/config-canaries.js';
import { EASY, type Refusal, refused, row } from './refusal.js';

export const CREDENTIALS: readonly Refusal[] = [
  row(`${EASY}.clientId`, REMOVED, 'is missing. Set it to the client id'),
  row(`${EASY}.clientId`, '', 'is empty'),
  row(`${EASY}.clientId`, 1234, 'not a number'),
  row(`${EASY}.clientId`, () => 'canary', 'not a function'),
  row(`${EASY}.clientId`, ' canary', 'white space'),
  row(`${EASY}.clientId`, 'canary\u00a0', 'white space'),
  row(`${EASY}.clientId`, '\ufeffcanary', 'white space'),
  row(`${EASY}.clientId`, '<CLIENT_ID>', 'placeholder'),
  row(
    'interfaces.easy.production.clientId',
    'canary-id-es',
    'is the same as interfaces.easy.sandbox.clientId',
  ),
  row(
    'interfaces.easy.production.tokenUrl',
    'https://sandbox.canary.example/auth/v0/connect/token',
    'is the same as interfaces.easy.sandbox.tokenUrl',
  ),
  refused(
    'one client id in both environments, beside another problem of the pair',
    { 'interfaces.easy.production.clientId': 'canary-id-es', 'interfaces.easy.production.baseUrl': '' },
    'interfaces.easy.production.baseUrl: is empty',
    'interfaces.easy.production.clientId: is the same as',
  ),
  row(`${EASY}.clientSecret`, new Secret(undefined as unknown as string), 'is missing'),
  row(`${EASY}.clientSecret`, REMOVED, 'is missing'),
  row(`${EASY}.clientSecret`, '   ', 'contains nothing but white space'),
  row(`${EASY}.clientSecret`, 'canary\n\n', 'line break'),
  row(`${EASY}.clientSecret`, 'can\0ary', 'control character'),
  row(`${EASY}.clientSecret`, 'canary\ud800canary', 'control character'),
  row(`${EASY}.clientSecret`, 'changeme', 'placeholder'),
  row(`${EASY}.clientSecret`, '[redacted]', 'placeholder'),
  row(`${EASY}.clientSecret`, { value: 'canary' }, 'must be a string, not an object'),
  row(`${EASY}.clientSecret`, null, 'not null'),
  row(`${EASY}.client_id`, 'canary', 'Did you mean clientId?'),
  row(`${EASY}.scope`, 'canary', 'Known here: tokenUrl, baseUrl, clientId, clientSecret, tls.'),
];
