import { describe, expect, it } from 'vitest';
import { errorCode, errorWord } from '../../../lib/errors/error-code.js';

describe('errorCode', () => {
  it.each(['ECONNREFUSED', 'ERR_TLS_CERT_ALTNAME_INVALID'])('is a code that Node gives: %s', (code) => {
    expect(errorCode(Object.assign(new Error('no'), { code }))).toBe(code);
    expect(errorCode({ code })).toBe(code);
  });

  it.each([
    undefined,
    null,
    'ECONNREFUSED',
    { code: ['ECONNREFUSED'] },
    { code: 'E' },
    { code: 'my secret' },
    { code: 'A'.repeat(65) },
  ])('S10: is undefined for anything else: %j', (error) => {
    expect(errorCode(error)).toBeUndefined();
  });
});

const error = (message: string, members: object = {}): Error => Object.assign(new Error(message), members);

describe('errorWord', () => {
  it.each<[string, Error]>([
    ['ECONNREFUSED', error('connect 127.0.0.1', { code: 'ECONNREFUSED' })],
    ['WRONGPASS', error('WRONGPASS invalid username-password pair')],
    ['NOPERM', error("NOPERM this user has no permissions to run the 'evalsha' command")],
    ['NOPERM', error('ERR ACL failure in script: no key')],
    ['NOPERM', error("ERR The user executing the script can't run this command or subcommand")],
    // Redis 5 and 6, of a command in a script.
    [
      'OOM',
      error(
        "ERR Error running script (call to f_0a9a51): @user_script:41: @user_script: 41: -OOM command not allowed when used memory > 'maxmemory'.",
      ),
    ],
    ['ERR', error('ERR Error running script (call to f_0a9a51): @user_script:41: it broke, - SECRET')],
    // ioredis and node-redis: the error of one host.
    ['WRONGPASS', error('Failed to refresh slots cache.', { lastNodeError: error('WRONGPASS no') })],
    ['ECONNRESET', error('All hosts failed.', { cause: error('x', { code: 'ECONNRESET' }) })],
    ['MOVED', error('MOVED 1 here', { cause: error('x', { code: 'ECONNRESET' }) })],
  ])('B29: is the code of Node or the first word of Redis: %s', (word, given) => {
    expect(errorWord(given)).toBe(word);
  });

  it.each<[string, unknown]>([
    ['no error', 'WRONGPASS my secret'],
    ['another text', error('my secret')],
    ['a word in the middle', error('got WRONGPASS')],
    ['a text that begins with capitals', error('MYsecret')],
    ['a word that is too long', error('A'.repeat(17))],
    ['another code', error('WRONGPASS', { code: 'my secret' })],
    ['a code in a text', error('x', { code: 'my ECONNRESET' })],
    ['a code that is too long', error('x', { code: 'E'.repeat(41) })],
  ])('S10: is undefined for anything else: %s', (_, given) => {
    expect(errorWord(given)).toBeUndefined();
  });

  it('a code that is no text is none: the text counts', () => {
    expect(errorWord(error('LOADING data', { code: 7 }))).toBe('LOADING');
  });
});
