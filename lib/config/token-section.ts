import type { Catalogue } from '../catalogue/catalogue.js';
import { fillForm, membersOf, Rule } from './form.js';
import { nearestName } from './rules/nearest-name.js';
import { LONGEST_TIMEOUT_MS, WholeNumber } from './number-rules.js';
import type { OptionsNode } from './options-node.js';
import type { TokenSettings } from './options/profile.js';
import { tokenAtBootSetting } from './process-env/variable-names.js';
import { type Flaw, kindOf } from './rules/text-rules.js';

const AT_BOOT = ['no', 'try', 'require'] as const;
const CHOICES = 'no, try or require';

class TokenForm implements TokenSettings {
  @WholeNumber(1, LONGEST_TIMEOUT_MS, ' of milliseconds')
  timeoutMs = 5_000;

  @WholeNumber(1, 10)
  maxAttempts = 3;

  @WholeNumber(0, Number.MAX_SAFE_INTEGER, ' of milliseconds')
  expiryLeewayMs = 0;

  @WholeNumber(0, Number.MAX_SAFE_INTEGER, ' of milliseconds')
  renewAheadMs = 0;

  @Rule(flawOfAtBoot)
  atBoot: TokenSettings['atBoot'] = 'no';
}

/** Reads `token` and fills in its defaults. */
export function readTokenSettings(catalogue: Catalogue, root: OptionsNode): TokenSettings {
  const form = new TokenForm();
  const node = root.child('token');
  if (node !== undefined) {
    fillForm(form, node);
    node.refuseUnknown(membersOf(TokenForm));
  }
  if (node?.has('atBoot') !== true) form.atBoot = atBootByVariable(catalogue, root) ?? form.atBoot;
  const { timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs, atBoot } = form;
  return Object.freeze({ timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs, atBoot });
}

/**
 * An application that sets other members of `token` in code replaces the whole `token` of the variables. The variable
 * still counts then: an operator who sets `require` must not be ignored (B29).
 */
function atBootByVariable(catalogue: Catalogue, root: OptionsNode): TokenSettings['atBoot'] | undefined {
  const { path, variable } = tokenAtBootSetting(catalogue);
  const value = root.origin?.valueOf(path);
  if (value === undefined || isAtBoot(value)) return value;
  root.refuseVariable({ path, variable, message: flawOfAtBoot(value) ?? '' });
  return undefined;
}

function flawOfAtBoot(value: unknown): Flaw {
  if (isAtBoot(value)) return undefined;
  if (typeof value !== 'string') return `must be ${CHOICES}, not ${kindOf(value)}.`;
  const nearest = nearestName(value, AT_BOOT);
  return `must be ${CHOICES}.${nearest === undefined ? '' : ` Did you mean ${nearest}?`}`;
}

function isAtBoot(value: unknown): value is TokenSettings['atBoot'] {
  return AT_BOOT.some((word) => word === value);
}
