/**
 * The part of DER (ITU-T X.690) that a certificate needs. Each function returns one whole value: its tag, its length and
 * its content.
 */

/** The years that UTCTime can express (RFC 5280 section 4.1.2.5). */
const FIRST_YEAR_OF_UTC_TIME = 1950;
const LAST_YEAR_OF_UTC_TIME = 2049;

/** A SEQUENCE of these members, in this order. */
export function sequence(...members: readonly Buffer[]): Buffer {
  return encode(0x30, ...members);
}

/** A SET of one member. Several members would have to be sorted. */
export function setOfOne(member: Buffer): Buffer {
  return encode(0x31, member);
}

export function boolean(value: boolean): Buffer {
  return encode(0x01, Buffer.of(value ? 0xff : 0));
}

/** An INTEGER of zero or more. The first byte is the most significant byte. */
export function unsignedInteger(...bytes: readonly number[]): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const shortest = first === -1 ? [0] : bytes.slice(first);
  // A first bit of 1 would make the number negative.
  const sign = (shortest[0] ?? 0) < 0x80 ? [] : [0];
  return encode(0x02, Buffer.from([...sign, ...shortest]));
}

/** A BIT STRING. If the bits have names, DER allows no byte and no used bit of 0 at the end (X.690 section 11.2.2). */
export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return encode(0x03, Buffer.of(unusedBits), bytes);
}

export function octetString(bytes: Buffer): Buffer {
  return encode(0x04, bytes);
}

/** @param dotted for example `2.5.4.3` */
export function objectIdentifier(dotted: string): Buffer {
  const [root = 0, second = 0, ...arcs] = dotted.split('.').map(Number);
  return encode(0x06, Buffer.from([root * 40 + second, ...arcs].flatMap(base128)));
}

export function utf8String(text: string): Buffer {
  return encode(0x0c, Buffer.from(text));
}

/** A UTCTime if it can express the year, or else a GeneralizedTime. Both are in whole seconds (RFC 5280 section 4.1.2.5). */
export function time(date: Date): Buffer {
  const year = date.getUTCFullYear();
  const digits = date.toISOString().replace(/\.\d+|\D/g, '');
  const isUtcTime = year >= FIRST_YEAR_OF_UTC_TIME && year <= LAST_YEAR_OF_UTC_TIME;
  return isUtcTime
    ? encode(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : encode(0x18, Buffer.from(`${digits}Z`));
}

/** `[n] EXPLICIT`: a tag around whole values. */
export function explicit(tag: number, ...values: readonly Buffer[]): Buffer {
  return encode(0xa0 | tag, ...values);
}

/** `[n] IMPLICIT`: the bytes of a value without members, with this tag instead of the tag of the value. */
export function implicit(tag: number, bytes: Buffer): Buffer {
  return encode(0x80 | tag, bytes);
}

function encode(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  return Buffer.concat([Buffer.of(tag), encodedLength(bytes.length), bytes]);
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
