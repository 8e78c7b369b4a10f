import { beforeEach, describe, expect, it } from 'vitest';
import { TokenRedaction } from '../../../../lib/http/redaction/token-redaction.js';

const TOKEN = 'canary-a.b~c+d/e_f==';
/** Made again for each test, because the patterns of a token are made at its first search. */
let redaction: TokenRedaction;

beforeEach(() => {
  redaction = new TokenRedaction([TOKEN]);
});

function units(text: string): Uint16Array {
  return Uint16Array.from(text, (character) => character.charCodeAt(0));
}

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

  it('of both attempts', () => {
    expect(new TokenRedaction(['one', 'two']).text('one two three')).toBe('[redacted] [redacted] three');
  });

  it('in bytes, where all other bytes stay the same', () => {
    const bytes = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from(TOKEN), Buffer.from('é')]);
    const expected = Buffer.concat([Buffer.from([0, 255, 128]), Buffer.from('[redacted]'), Buffer.from('é')]);
    expect(redaction.value(bytes)).toEqual(expected);
    const array = redaction.value(new Uint8Array(bytes).buffer);
    expect(Buffer.from(array as ArrayBuffer)).toEqual(expected);
  });

  it('in a Blob', async () => {
    const clean = await redaction.blob(new Blob([`a ${TOKEN}`], { type: 'text/plain' }));
    expect(await clean.text()).toBe('a [redacted]');
    expect(clean.type).toBe('text/plain');
  });

  it.each([
    ['UTF-16LE', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-16BE', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ])('in bytes of %s, which stay in that encoding', (_, encode) => {
    expect(redaction.value(encode(`é ${TOKEN} after`))).toEqual(encode('é [redacted] after'));
    const escaped = JSON.stringify(encodeURIComponent(TOKEN)).replaceAll('%', String.raw`\u0025`);
    expect(redaction.value(encode(`é ${escaped} after`))).toEqual(encode('é "[redacted]" after'));
  });

  it('in text that was UTF-16 and was read as UTF-8, also in JSON', () => {
    const misread = Buffer.from(`a ${TOKEN} b`, 'utf16le').toString('utf8');
    expect(Buffer.from(redaction.text(misread)).toString('utf16le')).toBe('a [redacted] b');
    expect(redaction.text(JSON.stringify(misread))).toMatch(/^"a.*\[redacted\].*b\\u0000"$/);
  });

  it('in views of bytes of any kind', () => {
    const text = `${TOKEN},${TOKEN} 4`;
    expect(redaction.value(new TextEncoder().encode(text))).toEqual(
      new TextEncoder().encode('[redacted],[redacted] 4'),
    );
    expect(redaction.value(units(text))).toEqual(units('[redacted],[redacted] 4'));
    const view = redaction.value(new DataView(new TextEncoder().encode(text).buffer)) as DataView;
    expect(Buffer.from(view.buffer).toString()).toBe('[redacted],[redacted] 4');
    const words = redaction.value(Uint32Array.from(Buffer.from(TOKEN.slice(0, -1)))) as Uint32Array;
    expect(String.fromCharCode(...words)).toBe('[redacted]');
    const doubles = redaction.value(
      new Float64Array(new Uint8Array(Buffer.from(`${TOKEN} 456`)).buffer),
    ) as Float64Array;
    expect(Buffer.from(doubles.buffer).toString()).toBe('[redacted] 456\0\0');
  });

  it.each([0, 1, 2])('in a base64 dump, %i bytes after a multiple of three', (offset) => {
    const dump = Buffer.from(`${'x'.repeat(offset)}authorization: ${TOKEN}>>> and more`).toString('base64');
    for (const form of [dump, dump.replaceAll('+', '-').replaceAll('/', '_'), encodeURIComponent(dump)]) {
      const clean = redaction.text(`Dump: ${form}!`);
      expect(clean).toMatch(/^Dump: [\w+/=%-]+\[redacted\][\w+/=%-]+!$/);
      for (const piece of [dump.slice(24, 32), dump.slice(32, 40)]) expect(clean).not.toContain(piece);
    }
  });

  it.each(['toLowerCase', 'toUpperCase'] as const)('in hexadecimal digits, %s', (letters) => {
    const digits = Buffer.from(TOKEN).toString('hex')[letters]();
    expect(redaction.text(`00${digits}00`)).toBe('00[redacted]00');
  });

  it.each([1, 2, 5])('without its last characters: %i', (missing) => {
    const cut = TOKEN.slice(0, -missing);
    expect(redaction.text(`was ${cut}… of`)).toBe('was [redacted]… of');
    expect(redaction.text(`was ${encodeURIComponent(cut)}… of`)).toBe('was [redacted]… of');
  });

  it('but not a short piece that helps no reader, nor a piece of a short token', () => {
    expect(redaction.text(TOKEN.slice(0, 12))).toBe(TOKEN.slice(0, 12));
    expect(new TokenRedaction(['one-two']).text('one-tw')).toBe('one-tw');
  });

  it('in a form: in texts, names, files and names of files', async () => {
    const form = new FormData();
    form.append('plain', 'text');
    form.append('seen', `Bearer ${TOKEN}`);
    form.append('seen', 'again');
    form.append(
      `name ${TOKEN}`,
      new File([`a ${TOKEN}`], `${TOKEN}.txt`, { type: 'text/plain', lastModified: 7 }),
    );
    const clean = (await redaction.body(form)) as FormData;
    expect(clean).not.toBe(form);
    const [plain, seen, again, [name, file]] = [...clean] as [unknown, unknown, unknown, [string, File]];
    expect([plain, seen, again, name]).toEqual([
      ['plain', 'text'],
      ['seen', 'Bearer [redacted]'],
      ['seen', 'again'],
      'name [redacted]',
    ]);
    expect(file).toMatchObject({ name: '[redacted].txt', type: 'text/plain', lastModified: 7 });
    expect(await file.text()).toBe('a [redacted]');
    expect(form.get('seen')).toBe(`Bearer ${TOKEN}`);
  });

  it('if one object is in two places, and in circles', () => {
    const shared: Record<string, unknown> = { token: TOKEN };
    const fixture = { one: shared, two: [shared], self: undefined as unknown };
    fixture.self = fixture;
    const clean = redaction.value(fixture) as typeof fixture;
    expect(clean.self).toBe(clean);
    expect(clean.one).toEqual({ token: '[redacted]' });
    expect(clean.two[0]).toBe(clean.one);
    expect(fixture.one).toEqual({ token: TOKEN });
  });

  it('beside a member with the name of a property of all objects', () => {
    const body: unknown = JSON.parse(`{"__proto__":{"a":"${TOKEN}"},"constructor":1}`);
    expect(JSON.stringify(redaction.value(body))).toBe('{"__proto__":{"a":"[redacted]"},"constructor":1}');
  });

  it('in one member among others, or in a name alone', () => {
    expect(redaction.value({ a: TOKEN, b: 1 })).toEqual({ a: '[redacted]', b: 1 });
    expect(redaction.value({ [TOKEN]: 1, b: 1 })).toEqual({ '[redacted]': 1, b: 1 });
    expect(redaction.value(Object.assign(Object.create(null) as object, { a: TOKEN }))).toEqual({
      a: '[redacted]',
    });
  });

  it('that holds characters that no bearer token may hold', () => {
    expect(new TokenRedaction(['a*b']).text('aab a*b')).toBe('aab [redacted]');
  });

  it.each([
    [
      'HTML after characters that look escaped',
      String.raw`00D!&"AQ%41\u0041x`,
      (token: string) => token.replaceAll('&', '&amp;'),
    ],
    ['as JSON, before a quotation mark', 'ab"cd\\', (token: string) => JSON.stringify(token).slice(1, -1)],
    ['HTML, before a quotation mark', 'ab<cd"\\', (token: string) => token.replaceAll('<', '&lt;')],
    [
      'HTML by name',
      '00D!AQ(*)',
      (token: string) => token.replaceAll('!', '&excl;').replaceAll('(', '&lpar;'),
    ],
  ])('B31: of visible characters, %s', (_, token, encode) => {
    expect(new TokenRedaction([token]).text(`a "${encode(token)}" b`)).toBe('a "[redacted]" b');
  });

  it('deep in an object, while the original stays the same', () => {
    const fixture = { list: [{ seen: TOKEN }, 1], [TOKEN]: null };
    expect(redaction.value(fixture)).toEqual({ list: [{ seen: '[redacted]' }, 1], '[redacted]': null });
    expect(fixture.list[0]).toEqual({ seen: TOKEN });
  });
});

describe('B12: a body that cannot be searched', () => {
  it('is dropped: an unreadable Blob, and a very large Blob', async () => {
    class BrokenBlob extends Blob {
      override arrayBuffer(): Promise<never> {
        return Promise.reject(new Error(TOKEN));
      }
    }
    expect(await (await redaction.blob(new BrokenBlob(['x']))).text()).toBe('[redacted]');
    const large = Object.defineProperty(new Blob(['x']), 'size', { value: 64 * 1024 * 1024 + 1 });
    expect(await (await redaction.blob(large)).text()).toBe('[redacted]');
  });
});

describe('B12: a body without a token', () => {
  it.each([[{ a: [1, 'x', null, undefined, true] }], [Buffer.from('x')], [new Date(0)], ['x'], [7]])(
    'stays the same value: %s',
    (value) => {
      expect(redaction.value(value)).toBe(value);
    },
  );

  it('stays the same block of memory', () => {
    const block = new ArrayBuffer(3);
    expect(redaction.value(block)).toBe(block);
  });

  it('is not searched inside an object of an unknown class', () => {
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

  it('stays the same form', async () => {
    const form = new FormData();
    form.append('a', 'b');
    form.append('file', new File(['x'], 'x.txt'));
    expect(await redaction.body(form)).toBe(form);
  });

  it('stays the same body of any other kind', async () => {
    for (const body of ['x', { a: 1 }, Buffer.from('x'), new Uint8Array(1024), null, undefined, Number.NaN])
      expect(await redaction.body(body)).toBe(body);
    const blob = new Blob(['x']);
    expect(await redaction.body(blob)).toBe(blob);
  });

  it('stays the same if bytes are zeros', () => {
    const zeros = Buffer.alloc(10 * 1024 * 1024);
    expect(redaction.value(zeros)).toBe(zeros);
  });

  it('may have circles', () => {
    const circle: Record<string, unknown> = { name: 'x' };
    circle['self'] = circle;
    expect(redaction.value(circle)).toBe(circle);
  });
});

/** The parts of a form after redaction. A file is its name and its content. */
async function partsOf(...parts: [name: string, value: string | File][]): Promise<[string, string][]> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const clean = (await redaction.body(form)) as FormData;
  return Promise.all(
    [...clean].map(async ([name, value]): Promise<[string, string]> => {
      return [name, typeof value === 'string' ? value : `${value.name}: ${await value.text()}`];
    }),
  );
}

describe('B12: one part of a form', () => {
  it('B12: is enough for a new form: a name, a text, a file or the name of a file', async () => {
    expect(await partsOf([TOKEN, 'text'], ['other', 'kept'])).toEqual([
      ['[redacted]', 'text'],
      ['other', 'kept'],
    ]);
    expect(await partsOf(['name', TOKEN])).toEqual([['name', '[redacted]']]);
    expect(await partsOf(['name', new File([`a ${TOKEN}`], 'dirty')])).toEqual([
      ['name', 'dirty: a [redacted]'],
    ]);
    expect(await partsOf(['name', new File(['content'], TOKEN)])).toEqual([['name', '[redacted]: content']]);
    expect(await partsOf(['name', new File(['content'], 'clean')])).toEqual([['name', 'clean: content']]);
  });

  it('B28: that cannot be read drops the whole form', async () => {
    const form = new FormData();
    Object.defineProperty(form, Symbol.iterator, {
      value: () => {
        throw new Error('broken');
      },
    });
    expect(await redaction.body(form)).toBe('[redacted]');
  });

  it('B28: of exactly 64 MiB is searched', async () => {
    const blob = Object.defineProperty(new Blob(['x']), 'size', { value: 64 * 1024 * 1024 });
    expect(await redaction.blob(blob)).toBe(blob);
  });
});

describe('B12: forms of one token in one text', () => {
  // The token and its dump begin and end with a 3, so they can share characters.
  const token = '3bcdefghijklmno33';
  const dump = Buffer.from(token).toString('hex');

  it.each([
    ['a token that goes over into its dump', `${token}${dump.slice(2)}`, '[redacted]'],
    ['a dump that goes over into its token', `${dump}${token.slice(1)}`, '[redacted]'],
    ['a token beside its dump', `${token}${dump}`, '[redacted][redacted]'],
    ['a dump beside its token', `${dump} ${token}`, '[redacted] [redacted]'],
  ])('B12: leave nothing of %s', (_, text, clean) => {
    expect(new TokenRedaction([token]).text(`<${text}>`)).toBe(`<${clean}>`);
  });
});

describe('B12: a dump of a token', () => {
  it.each([
    ['16 characters', 'AbCdEfGhIjKlMnOp', true],
    ['15 characters, whose dump may be an ordinary word', 'AbCdEfGhIjKlMnO', false],
  ])('B12: is searched for a token of %s', (_, token, isRedacted) => {
    const text = `a ${Buffer.from(token).toString('hex')} b`;
    expect(new TokenRedaction([token]).text(text)).toBe(isRedacted ? 'a [redacted] b' : text);
  });

  it('B28: a run of escapes that is longer than 1 MiB is dropped without a search', () => {
    const text = `a ${'%41'.repeat(350_000)} b`;
    expect(redaction.text(text)).toBe('a [redacted] b');
  });
});

it('B12: a caller can change and remove the members of redacted data, as of any data', () => {
  const clean = redaction.value({ kept: TOKEN, removed: TOKEN }) as { kept: string; removed?: string };
  clean.kept = 'changed';
  delete clean.removed;
  expect(clean).toEqual({ kept: 'changed' });
});
