import { REMOVED } from '../../../support/secrets/config-canaries.js';
import { PROVIDER_INTERFACES } from '../../../support/application/built-in.js';
import { EASY, type Refusal, refused, row } from './refusal.js';

export const ENVIRONMENTS: readonly Refusal[] = [
  row('environment', REMOVED, 'is missing'),
  row('environment', '', 'is missing'),
  row('environment', 'sandbx', 'Did you mean sandbox?'),
  row('environment', 'prod', 'Did you mean production?'),
  row('environment', 'SANDBOX', 'Did you mean sandbox?'),
  row('environment', 'canary', 'must be sandbox or production.'),
  row('environment', 7, 'not a number'),
  row('environment', null, 'not null'),
  row('environment', ['sandbox'], 'not a list'),
  refused(
    'an active environment that is not configured',
    { environment: 'production', 'interfaces.easy.production': REMOVED },
    'environment: for which easy is not configured. Set interfaces.easy.production.tokenUrl, interfaces.easy.production.baseUrl, interfaces.easy.production.clientId, interfaces.easy.production.clientSecret, or choose sandbox.',
  ),
  refused(
    'an active environment that neither interface has',
    {
      environment: 'production',
      'interfaces.easy.production': REMOVED,
      'interfaces.originations.production': REMOVED,
    },
    'environment: for which originations is not configured. Set interfaces.originations.production.baseUrl,',
    'environment: for which easy is not configured',
  ),
  refused(
    'a choice for each interface with one left out',
    { environment: { easy: 'sandbox' } },
    'environment.originations: is missing',
  ),
  refused(
    'a misspelt choice for one interface',
    { environment: { easy: 'sandbox', originations: 'productoin' } },
    'environment.originations: Did you mean production?',
  ),
  refused(
    'a choice for an interface that is not configured',
    { environment: { easy: 'sandbox', originations: 'sandbox' }, 'interfaces.originations': REMOVED },
    'environment.originations: which is not configured',
  ),
  refused(
    'a choice of something that is not configured for one interface',
    { environment: { easy: 'production', originations: 'sandbox' }, 'interfaces.easy.production': REMOVED },
    'environment.easy: chooses production',
  ),
  refused(
    'a choice for an unknown interface',
    { environment: { easy: 'sandbox', originations: 'sandbox', esy: 'sandbox' } },
    'environment.esy: Did you mean easy?',
  ),

  row('interfaces', REMOVED, 'is missing'),
  row('interfaces', {}, 'configures no interface'),
  row('interfaces', 'canary', 'must be an object, not a string'),
  row('interfaces', ['canary'], 'must be an object, not a list'),
  row('interfaces.esay', { canary: 1 }, 'Did you mean easy?'),
  row('interfaces.other', {}, `Known here: ${PROVIDER_INTERFACES.join(', ')}.`),
  row('interfaces.easy', null, 'not null'),
  row(
    'interfaces.easy',
    {},
    'has no environment. Set for sandbox tokenUrl, baseUrl, clientId, clientSecret; or for production',
  ),
  row(EASY, 'canary', 'must be an object'),
  row('interfaces.easy.prodution', {}, 'Did you mean production?'),
];
