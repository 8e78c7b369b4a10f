import * as asn1 from 'asn1js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  objectIdentifier,
  octetString,
  sequence,
  setOfOne,
  time,
  unsignedInteger,
  utf8String,
} from '../../../../lib/testing/simulator/der.js';

/** What an independent reader finds. Nothing may be left over after the value. */
function read<Kind extends asn1.AsnType>(value: Buffer, kind: new () => Kind): Kind {
  const { offset, result } = asn1.fromBER(value);
  expect(result.error).toBe('');
  expect(offset).toBe(value.length);
  expect(result).toBeInstanceOf(kind);
  return result as Kind;
}

const bytes = (options: fc.IntArrayConstraints = { maxLength: 300 }) =>
  fc.uint8Array(options).map((array) => Buffer.from(array));

const hexOf = (value: ArrayBuffer | Uint8Array): string =>
  Buffer.from(value instanceof ArrayBuffer ? new Uint8Array(value) : value).toString('hex');

describe('the DER encoder of the simulator', () => {
  it.each([0, 1, 127, 128, 129, 255, 256, 65_535, 65_536, 16_777_215, 16_777_216])(
    'B19: writes the length %d in as few bytes as DER allows',
    (length) => {
      const content = Buffer.alloc(length, 0x55);
      const value = octetString(content);
      const bytesOfLength = length < 128 ? 1 : 1 + Math.ceil(length.toString(16).length / 2);
      expect(value.length).toBe(1 + bytesOfLength + length);
      expect(read(value, asn1.OctetString).valueBlock.valueHexView.length).toBe(length);
    },
  );

  it('B19: writes octet strings and bit strings that an independent reader reads', () => {
    fc.assert(
      fc.property(bytes(), (content) => {
        expect(hexOf(read(octetString(content), asn1.OctetString).valueBlock.valueHexView)).toBe(
          content.toString('hex'),
        );
        const bits = read(bitString(content), asn1.BitString).valueBlock;
        expect([hexOf(bits.valueHexView), bits.unusedBits]).toEqual([content.toString('hex'), 0]);
      }),
    );
  });

  it('B19: writes how many bits at the end of a bit string are not used', () => {
    fc.assert(
      fc.property(
        bytes({ minLength: 1, maxLength: 4 }),
        fc.integer({ min: 0, max: 7 }),
        (content, unused) => {
          content[content.length - 1] = 0x80;
          const { unusedBits, valueHexView } = read(bitString(content, unused), asn1.BitString).valueBlock;
          expect([hexOf(valueHexView), unusedBits]).toEqual([content.toString('hex'), unused]);
        },
      ),
    );
  });

  it('B19: writes every integer of zero or more as the shortest number that is not negative', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 }), (magnitude) => {
        const number = BigInt(`0x0${Buffer.from(magnitude).toString('hex')}`);
        const value = unsignedInteger(...magnitude);
        expect(read(value, asn1.Integer).toBigInt()).toBe(number);
        // The first bit is the sign, so it needs a place, too.
        expect(value.length).toBe(2 + Math.floor(number === 0n ? 0 : number.toString(2).length / 8) + 1);
      }),
    );
  });

  it.each([
    [[], '020100'],
    [[0], '020100'],
    [[0x7f], '02017f'],
    [[0x80], '02020080'],
    [[0, 0x80], '02020080'],
    [[0xff], '020200ff'],
    [[1, 0], '02020100'],
  ])('B19: writes the integer of the bytes %j as %s', (magnitude, hex) => {
    expect(hexOf(unsignedInteger(...magnitude))).toBe(hex);
  });

  it('B19: writes object identifiers that an independent reader reads', () => {
    const arc = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }));
    const root = fc.oneof(
      fc.tuple(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 39 })),
      fc.tuple(fc.constant(2), fc.integer({ min: 0, max: 1000 })),
    );
    fc.assert(
      fc.property(root, fc.array(arc, { maxLength: 10 }), (first, others) => {
        const dotted = [...first, ...others].join('.');
        expect(read(objectIdentifier(dotted), asn1.ObjectIdentifier).valueBlock.toString()).toBe(dotted);
      }),
    );
  });

  it('B19: writes any text as UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(read(utf8String(text), asn1.Utf8String).valueBlock.value).toBe(text);
      }),
    );
  });

  it('B19: writes times in UTCTime from 1950 to 2049 and in GeneralizedTime before and after', () => {
    // The reader takes years before 100 for years of the last century.
    const [min, max] = [new Date('0100-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
    const near = { min: new Date('1940-01-01T00:00:00Z'), max: new Date('2060-01-01T00:00:00Z') };
    const dates = fc.oneof(
      fc.date({ min, max, noInvalidDate: true }),
      fc.date({ ...near, noInvalidDate: true }),
    );
    fc.assert(
      fc.property(dates, (date) => {
        const year = date.getUTCFullYear();
        const value = time(date);
        const kind = year >= 1950 && year <= 2049 ? asn1.UTCTime : asn1.GeneralizedTime;
        const found = read(value, kind);
        expect(found.idBlock.tagNumber).toBe(kind === asn1.UTCTime ? 23 : 24);
        expect(found.toDate().getTime()).toBe(Math.floor(date.getTime() / 1000) * 1000);
        expect(value.at(-1)).toBe('Z'.charCodeAt(0));
      }),
    );
  });

  it.each([
    ['1949-12-31T23:59:59Z', '19491231235959Z'],
    ['1950-01-01T00:00:00Z', '500101000000Z'],
    ['2049-12-31T23:59:59.999Z', '491231235959Z'],
    ['2050-01-01T00:00:00Z', '20500101000000Z'],
  ])('B19: writes %s as %s', (date, text) => {
    expect(time(new Date(date)).subarray(2).toString()).toBe(text);
  });

  it('B19: keeps the members of sequences, sets and tags whole and in order', () => {
    fc.assert(
      fc.property(fc.array(bytes({ maxLength: 80 }), { maxLength: 8 }), fc.nat(30), (contents, tag) => {
        const members = contents.map(octetString);
        const hex = members.map((member) => member.toString('hex'));
        const { value } = read(sequence(...members), asn1.Sequence).valueBlock;
        expect(value.map((member) => hexOf(member.toBER()))).toEqual(hex);
        const tagged = read(explicit(tag, ...members), asn1.Constructed);
        expect(tagged.idBlock).toMatchObject({ tagClass: 3, tagNumber: tag });
        expect(tagged.valueBlock.value.map((member) => hexOf(member.toBER()))).toEqual(hex);
      }),
    );
  });

  it('B19: puts a tag in place of that of a plain value', () => {
    fc.assert(
      fc.property(bytes(), fc.nat(30), (content, tag) => {
        const { idBlock, valueBlock } = read(implicit(tag, content), asn1.Primitive);
        expect(idBlock).toMatchObject({ tagClass: 3, tagNumber: tag, isConstructed: false });
        expect(hexOf(valueBlock.valueHexView)).toBe(content.toString('hex'));
      }),
    );
  });

  it('B19: writes booleans and sets of one member', () => {
    expect(hexOf(boolean(true))).toBe('0101ff');
    expect(hexOf(boolean(false))).toBe('010100');
    const { value } = read(setOfOne(boolean(true)), asn1.Set).valueBlock;
    expect(value.map((member) => hexOf(member.toBER()))).toEqual(['0101ff']);
  });
});
