/**
 * The part of DER (ITU-T X.690) that a certificate needs. Each function returns one whole value: its tag, its length and
 * its content.
 */

export const value =
  (tag: number) =>
  (...content: readonly Buffer[]): Buffer => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.of(tag), encodedLength(bytes.length), bytes]);
  };

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

/** An OBJECT IDENTIFIER, by its content. */
export const objectIdentifier = (hex: string): Buffer => value(0x06)(Buffer.from(hex, 'hex'));

/** A UTCTime in whole seconds. It can express the years 1950 to 2049 (RFC 5280 section 4.1.2.5). */
export const time = (date: Date): Buffer =>
  value(0x17)(Buffer.from(`${date.toISOString().slice(2, 19).replaceAll(/\D/g, '')}Z`));

/** A length up to 127 is one byte. A longer length is the number of its bytes, with the first bit set, and then its bytes. */
function encodedLength(length: number): Buffer {
  if (length < 0x80) return Buffer.of(length);
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  const shortest = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.of(0x80 | shortest.length), shortest]);
}
