import { MountedFile } from '../../../lib/secrets/mounted-file.js';
import {
  clientSecretOf,
  fileSource,
  type SecretKind,
  type SecretPlace,
  type SecretSource,
} from '../../../lib/secrets/secret-source.js';

/** A secret in a file: what the boot says about it, and its source. */
export function secretOfFile(
  path: string,
  place: SecretPlace,
  kind: SecretKind = clientSecretOf(undefined),
): SecretSource & { readonly file: MountedFile; readonly flaw: () => string | undefined } {
  const file = new MountedFile(path, 'secret');
  const { source } = fileSource(file, place, kind);
  return { file, flaw: () => fileSource(file, place, kind).flaw, read: () => source.read() };
}
