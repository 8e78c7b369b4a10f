/**
 * What the base64 of any longer text holds, if that text holds this one: three forms, because a base64 character stands
 * for six bits and the text may begin at any of three alignments. The characters that also depend on the neighbours are
 * left out. Both alphabets, without duplicates.
 */
export function base64Cores(text: string): string[] {
  const bytes = Buffer.from(text);
  const cores = [0, 1, 2].map((before) => {
    const base64 = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return base64.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [...new Set(cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]))];
}
