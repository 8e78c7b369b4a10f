import { describe, expect, it } from 'vitest';
import { errorCode } from '../../../lib/errors/error-code.js';

describe('errorCode', () => {
  it.each([
    'ECONNREFUSED',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UND_ERR_CONNECT_TIMEOUT',
    'HPE_INVALID_CONSTANT',
  ])('is a code that Node gives: %s', (code) => {
    expect(errorCode(Object.assign(new Error('no'), { code }))).toBe(code);
    expect(errorCode({ code })).toBe(code);
  });

  it.each([
    undefined,
    null,
    'ECONNREFUSED',
    {},
    { code: 42 },
    { code: 'E' },
    { code: 'my secret' },
    { code: 'A'.repeat(65) },
  ])('S10: is undefined for anything else: %j', (error) => {
    expect(errorCode(error)).toBeUndefined();
  });
});
