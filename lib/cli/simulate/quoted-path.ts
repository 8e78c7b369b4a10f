/**
 * A path as a person can paste it after a command. On Windows, cmd knows no single quotes, and no path contains a double quote.
 *
 * @param platform as `process.platform`.
 */
export function quotedPath(path: string, platform: string = process.platform): string {
  if (/^[\w./:-]+$/.test(path)) return path;
  return platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
