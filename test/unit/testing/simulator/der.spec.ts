import * as asn1 from 'asn1js';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
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

// `certificate.spec.ts` shows by two readers that whole certificates are right. Here are the limits of the encoding.

it.each([127, 128, 255, 256, 65_536])('B19: the length %d has as few bytes as DER allows', (length) => {
  const value = octetString(Buffer.alloc(length, 0x55));
  const bytesOfLength = length < 128 ? 1 : 1 + Math.ceil(length.toString(16).length / 2);
  expect(value.length).toBe(1 + bytesOfLength + length);
  expect(asn1.fromBER(value)).toMatchObject({ offset: value.length, result: { error: '' } });
});

it.each<[what: string, value: Buffer, hex: string]>([
  ['no number', unsignedInteger(), '020100'],
  ['zero', unsignedInteger(0, 0), '020100'],
  ['the largest byte without a sign', unsignedInteger(0x7f), '02017f'],
  ['a number whose first bit is no sign', unsignedInteger(0, 0x80), '02020080'],
  ['a number that ends with zero', unsignedInteger(1, 0), '02020100'],
  ['true', boolean(true), '0101ff'],
  ['false', boolean(false), '010100'],
  ['bits', bitString(Buffer.of(0x80), 7), '03020780'],
  ['all bits', bitString(Buffer.of(1, 2)), '0303000102'],
  ['a text', utf8String('ü'), '0c02c3bc'],
  ['an identifier', objectIdentifier('1.2.840.10045.4.3.2'), '06082a8648ce3d040302'],
  ['an identifier with a large first arc', objectIdentifier('2.999.3'), '0603883703'],
  ['members in their order', sequence(boolean(true), boolean(false)), '30060101ff010100'],
  ['a set', setOfOne(boolean(true)), '31030101ff'],
  ['an explicit tag', explicit(3, boolean(true)), 'a3030101ff'],
  ['an implicit tag', implicit(2, Buffer.from('a')), '820161'],
  [
    'the last second of GeneralizedTime',
    time(new Date('1949-12-31T23:59:59.9Z')),
    `180f${hexOf('19491231235959Z')}`,
  ],
  ['the first second of UTCTime', time(new Date('1950-01-01T00:00:00Z')), `170d${hexOf('500101000000Z')}`],
  ['the last second of UTCTime', time(new Date('2049-12-31T23:59:59Z')), `170d${hexOf('491231235959Z')}`],
  ['the next second', time(new Date('2050-01-01T00:00:00Z')), `180f${hexOf('20500101000000Z')}`],
])('B19: %s is encoded as DER says', (_, value, hex) => {
  expect(value.toString('hex')).toBe(hex);
});

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}

it('B19: an independent reader reads every integer and every identifier', () => {
  const magnitude = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 });
  const arcs = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(magnitude, arcs, (bytes, others) => {
      const number = asn1.fromBER(unsignedInteger(...bytes)).result as asn1.Integer;
      expect(number.toBigInt()).toBe(BigInt(`0x0${Buffer.from(bytes).toString('hex')}`));
      const dotted = ['1', '3', ...others].join('.');
      const identifier = asn1.fromBER(objectIdentifier(dotted)).result as asn1.ObjectIdentifier;
      expect(identifier.valueBlock.toString()).toBe(dotted);
    }),
  );
});
