import { unpooledConcat } from './unpooled-buffer.js';

/**
 * The base64 of any content with these bytes contains one of these texts. A base64 character encodes six bits, so the bytes can
 * begin at three places. Characters that also depend on the neighbours are left out. Both alphabets, without duplicates.
 */
export function base64Cores(bytes: Buffer): string[] {
  const cores = [0, 1, 2].map((before) => {
    const base64 = unpooledConcat([Buffer.alloc(before), bytes]).toString('base64');
    return base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}
