import { REMOVED } from '../../../support/secrets/config-canaries.js';
import { PROVIDER_INTERFACES } from '../../../support/application/built-in.js';
import { EASY, type Refusal, refused } from './refusal.js';

export const ENVIRONMENTS: readonly Refusal[] = [
  refused('no environment', { environment: REMOVED }, 'environment: is missing'),
  refused('an empty environment', { environment: '' }, 'environment: is missing'),
  refused('a misspelt environment', { environment: 'sandbx' }, 'environment: Did you mean sandbox?'),
  refused('an abbreviated environment', { environment: 'prod' }, 'environment: Did you mean production?'),
  refused('an environment in capitals', { environment: 'SANDBOX' }, 'environment: Did you mean sandbox?'),
  refused('another environment', { environment: 'canary' }, 'environment: must be sandbox or production.'),
  refused('a number as environment', { environment: 7 }, 'environment: not a number'),
  refused('null as environment', { environment: null }, 'environment: not null'),
  refused('a list as environment', { environment: ['sandbox'] }, 'environment: not a list'),
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

  refused('no interfaces', { interfaces: REMOVED }, 'interfaces: is missing'),
  refused('interfaces without one', { interfaces: {} }, 'interfaces: configures no interface'),
  refused('a text as interfaces', { interfaces: 'canary' }, 'interfaces: must be an object, not a string'),
  refused('a list as interfaces', { interfaces: ['canary'] }, 'interfaces: must be an object, not a list'),
  refused(
    'a misspelt interface',
    { 'interfaces.esay': { canary: 1 } },
    'interfaces.esay: Did you mean easy?',
  ),
  refused(
    'an unknown interface',
    { 'interfaces.other': {} },
    `interfaces.other: Known here: ${PROVIDER_INTERFACES.join(', ')}.`,
  ),
  refused('null as an interface', { 'interfaces.easy': null }, 'interfaces.easy: not null'),
  refused(
    'an interface without environments',
    { 'interfaces.easy': {} },
    'interfaces.easy: has no environment. Set for sandbox tokenUrl, baseUrl, clientId, clientSecret; or for production',
  ),
  refused('a text as an environment', { [EASY]: 'canary' }, `${EASY}: must be an object`),
  refused(
    'a misspelt environment of an interface',
    { 'interfaces.easy.prodution': {} },
    'interfaces.easy.prodution: Did you mean production?',
  ),
];
