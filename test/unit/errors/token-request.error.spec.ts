import { describe, expect, it, onTestFinished } from 'vitest';
import { ProviderAuthError } from '../../../lib/errors/provider-auth.error.js';
import { TokenRequestError } from '../../../lib/errors/token-request.error.js';
import { failureOf } from '../../support/token/token-fixtures.js';

describe('TokenRequestError', () => {
  it('says which token is missing, why, and how to fix it', () => {
    const error = failureOf('TOKEN_REJECTED', { reason: 'it was refused.', remedy: 'Check the secret.' });
    expect(error.message).toBe('No access token for easy sandbox: it was refused. Check the secret.');
    expect(error).toMatchObject({
      name: 'TokenRequestError',
      code: 'TOKEN_REJECTED',
      interface: 'easy',
      environment: 'sandbox',
      status: 401,
      oauthError: 'invalid_client',
    });
    expect(error).toBeInstanceOf(ProviderAuthError);
    expect(error).toBeInstanceOf(Error);
  });

  it('S10: has no cause, and no member but those that are documented', () => {
    const error = failureOf('TOKEN_REJECTED').copy(new Date(0));
    const members = Reflect.ownKeys(error).map(String);
    expect(new Set(members)).toEqual(
      new Set(['stack', 'message', 'code', 'environment', 'interface', 'oauthError', 'retryAt', 'status']),
    );
  });

  it('leaves out what is not known', () => {
    const error = failureOf('TOKEN_UNAVAILABLE', { status: undefined });
    expect('status' in error).toBe(false);
    expect('oauthError' in error).toBe(false);
    expect('retryAt' in error).toBe(false);
  });

  it('B6: says until when it stands, everything else being equal', () => {
    const retryAt = new Date(42);
    const error = failureOf('TOKEN_UNAVAILABLE', { retryAfterMs: 7 });
    const cooled = error.copy(retryAt);
    expect(cooled.retryAt).toEqual(retryAt);
    expect(cooled).toMatchObject({ code: error.code, status: 503, message: error.message });
    expect([cooled.failure.transient, cooled.failure.retryAfterMs]).toEqual([true, 7]);
    expect(error.retryAt).toBeUndefined();
  });

  it('B31, B33: names the provider of the application and the account', () => {
    const { failure } = failureOf();
    const stock = { provider: 'warehouse', interface: 'stock', environment: 'test' };
    const error = new TokenRequestError({ ...stock, account: 'a-17' }, failure);
    expect(error.message).toBe('No access token for warehouse stock test, account a-17: it failed. Fix it.');
    expect(error).toMatchObject({ ...stock, account: 'a-17' });
    const ofPair = failureOf();
    expect(ofPair.provider).toBe('provider');
    expect('account' in ofPair).toBe(false);
  });

  it('B13, B28: a copy is another object with the stack of the failure, and builds no second stack', () => {
    const { stackTraceLimit } = Error;
    onTestFinished(() => void (Error.stackTraceLimit = stackTraceLimit));
    Error.stackTraceLimit = 7;
    const error = failureOf();
    let limit: unknown;
    const steered = Object.defineProperty(new TokenRequestError(error, error.failure), 'account', {
      get: () => void (limit = Error.stackTraceLimit),
    });
    const copy = error.copy();
    expect(copy).not.toBe(error);
    expect(copy.stack).toBe(error.stack);
    steered.copy();
    expect(limit).toBe(0);
    expect(Error.stackTraceLimit).toBe(7);
    Reflect.deleteProperty(error, 'stack');
    expect(error.copy().stack).toContain(error.message);
  });
});
