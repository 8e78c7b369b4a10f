import { describe, expect, it } from 'vitest';
import { TokenRedaction } from '../../../lib/http/token-redaction.js';

const TOKEN = 'canary-a.b~c+d/e_f==';
const redaction = new TokenRedaction([TOKEN]);

describe('B12: a reflected token', () => {
  it.each([
    ['as it is', TOKEN],
    ['percent-encoded', encodeURIComponent(TOKEN)],
    [
      'percent-encoded in lower case',
      encodeURIComponent(TOKEN).replaceAll(/%../g, (hex) => hex.toLowerCase()),
    ],
    ['percent-encoded twice', encodeURIComponent(encodeURIComponent(TOKEN))],
    ['in JSON as PHP writes it', JSON.stringify(TOKEN).replaceAll('/', '\\/').slice(1, -1)],
    ['in JSON as .NET writes it', TOKEN.replaceAll('+', String.raw`\u002B`)],
    ['in JSON inside of JSON', JSON.stringify(JSON.stringify(TOKEN).replaceAll('/', '\\/'))],
    ['in HTML', TOKEN.replaceAll('/', '&#x2F;').replaceAll('+', '&#43;').replaceAll('=', '&#61;')],
  ])('%s', (_, reflected) => {
    const clean = redaction.text(`before ${reflected} after`);
    expect(clean).toMatch(/^before .*\[redacted\].* after$/);
    expect(clean).not.toContain('canary');
  });

  it('each time it occurs', () => {
    expect(redaction.text(`${TOKEN},${TOKEN}`)).toBe('[redacted],[redacted]');
  });

  it('of either attempt', () => {
    expect(new TokenRedaction(['one', 'two']).text('one two three')).toBe('[redacted] [redacted] three');
  });

  it('in bytes, of which every other stays as it was', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(TOKEN), Buffer.from('é')]);
    const expected = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from('[redacted]'), Buffer.from('é')]);
    expect(redaction.bytes(bytes)).toEqual(expected);
    const array = redaction.value(new Uint8Array(bytes).buffer);
    expect(Buffer.from(array as ArrayBuffer)).toEqual(expected);
  });

  it('in a Blob', async () => {
    const clean = await redaction.blob(new Blob([`a ${TOKEN}`], { type: 'text/plain' }));
    expect(await clean.text()).toBe('a [redacted]');
    expect(clean.type).toBe('text/plain');
  });

  it('in one member among others, or in a name alone', () => {
    expect(redaction.value({ a: TOKEN, b: 1 })).toEqual({ a: '[redacted]', b: 1 });
    expect(redaction.value({ [TOKEN]: 1, b: 1 })).toEqual({ '[redacted]': 1, b: 1 });
    expect(redaction.value(Object.assign(Object.create(null) as object, { a: TOKEN }))).toEqual({
      a: '[redacted]',
    });
  });

  it('that holds what no bearer token should, without harm', () => {
    expect(new TokenRedaction(['a*b']).text('aab a*b')).toBe('aab [redacted]');
  });

  it('deep in an object, of which the original stays as it was', () => {
    const fixture = { list: [{ seen: TOKEN }, 1], [TOKEN]: null };
    expect(redaction.value(fixture)).toEqual({ list: [{ seen: '[redacted]' }, 1], '[redacted]': null });
    expect(fixture.list[0]).toEqual({ seen: TOKEN });
  });
});

describe('B12: what holds no token', () => {
  it.each([[{ a: [1, 'x', null, undefined, true] }], [Buffer.from('x')], [new Date(0)], ['x'], [7]])(
    'stays the very same: %s',
    (value) => {
      expect(redaction.value(value)).toBe(value);
    },
  );

  it('stays the same block of memory', () => {
    const block = new ArrayBuffer(3);
    expect(redaction.value(block)).toBe(block);
  });

  it('is left alone where an object is of a class that only its owner understands', () => {
    class Money {
      constructor(readonly note: string) {}
    }
    const money = new Money(TOKEN);
    expect(redaction.value(money)).toBe(money);
    expect(money.note).toBe(TOKEN);
  });

  it('stays the same Blob', async () => {
    const blob = new Blob(['x']);
    expect(await redaction.blob(blob)).toBe(blob);
  });

  it('may lead in circles', () => {
    const circle: Record<string, unknown> = { name: 'x' };
    circle['self'] = circle;
    expect(redaction.value(circle)).toBe(circle);
  });
});
