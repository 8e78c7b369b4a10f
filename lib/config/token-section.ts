import { fillForm, membersOf } from './form.js';
import { LONGEST_TIMEOUT_MS, WholeNumber } from './number-rules.js';
import type { OptionsNode } from './options-node.js';
import type { TokenSettings } from './options/profile.js';

class TokenForm implements TokenSettings {
  @WholeNumber(1, LONGEST_TIMEOUT_MS, ' of milliseconds')
  timeoutMs = 5_000;

  @WholeNumber(1, 10)
  maxAttempts = 3;

  @WholeNumber(0, Number.MAX_SAFE_INTEGER, ' of milliseconds')
  expiryLeewayMs = 0;

  @WholeNumber(0, Number.MAX_SAFE_INTEGER, ' of milliseconds')
  renewAheadMs = 0;
}

/** `token`, with its defaults. */
export function readTokenSettings(root: OptionsNode): TokenSettings {
  const form = new TokenForm();
  const node = root.child('token');
  if (node !== undefined) {
    fillForm(form, node);
    node.refuseUnknown(membersOf(TokenForm));
  }
  const { timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs } = form;
  return Object.freeze({ timeoutMs, maxAttempts, expiryLeewayMs, renewAheadMs });
}
