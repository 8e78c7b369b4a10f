/**
 * The part of DER (ITU-T X.690) that a certificate needs. Each function returns one whole value: its tag, its length and
 * its content.
 */

/** The last year that UTCTime can express (RFC 5280 section 4.1.2.5). Its first year is 1950. */
const LAST_YEAR_OF_UTC_TIME = 2049;

/** A value with any tag. */
export const value =
  (tag: number) =>
  (...content: readonly Buffer[]): Buffer => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.of(tag), encodedLength(bytes.length), bytes]);
  };

/** A SEQUENCE of these members, in this order. */
export const sequence = value(0x30);

/** A SET of one member. Several members would have to be sorted. */
export const setOfOne = value(0x31);

export const octetString = value(0x04);

/** `[n] EXPLICIT`: a tag around whole values. */
export const explicit = (tag: number, ...values: readonly Buffer[]): Buffer => value(0xa0 | tag)(...values);

/** `[n] IMPLICIT`: the bytes of a value without members, with this tag instead of the tag of the value. */
export const implicit = (tag: number, bytes: Buffer): Buffer => value(0x80 | tag)(bytes);

export const yes = value(0x01)(Buffer.of(0xff));

/** An INTEGER of zero or more. The first byte is the most significant one, and is below 0x80: a first bit of 1 would make it negative. */
export const unsignedInteger = (...bytes: readonly number[]): Buffer => value(0x02)(Buffer.from(bytes));

/** A BIT STRING. If the bits have names, DER allows no byte and no used bit of 0 at the end (X.690 section 11.2.2). */
export const bitString = (bytes: Buffer, unusedBits = 0): Buffer => value(0x03)(Buffer.of(unusedBits), bytes);

export const utf8String = (text: string): Buffer => value(0x0c)(Buffer.from(text));

/** @param dotted for example `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [root = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  return value(0x06)(Buffer.from([root * 40 + second, ...arcs].flatMap(base128)));
}

/** A UTCTime if it can express the year, or else a GeneralizedTime. Both are in whole seconds (RFC 5280 section 4.1.2.5). */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\.\d+|\D/g, '');
  return date.getUTCFullYear() <= LAST_YEAR_OF_UTC_TIME
    ? value(0x17)(Buffer.from(`${digits.slice(2)}Z`))
    : value(0x18)(Buffer.from(`${digits}Z`));
}

/** A length up to 127 is one byte. A longer length is the number of its bytes, with the first bit set, and then its bytes. */
function encodedLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const shortest = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.of(0x80 | shortest.length), shortest]);
}

/** Seven bits in each byte. The first bit says that another byte follows. */
function base128(arc: number): number[] {
  const bytes = [arc % 0x80];
  for (let rest = Math.floor(arc / 0x80); rest > 0; rest = Math.floor(rest / 0x80)) {
    bytes.unshift(0x80 | (rest % 0x80));
  }
  return bytes;
}
