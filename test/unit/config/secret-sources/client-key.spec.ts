import { beforeAll, describe, expect, it } from 'vitest';
import { CREDENTIAL_KINDS, signingKeySource } from '../../../../lib/config/secret-sources/client-key.js';
import { ClientAuthority, type ClientCertificate } from '../../../support/http/client-certificates.js';
import { MountedSecret } from '../../../support/http/mounted-secret.js';
import { secretOfFile } from '../../../support/secrets/secret-of-file.js';
import { errorOf } from '../../../support/token/token-fixtures.js';

const PLACES = {
  clientKey: { path: 'clientKey', env: undefined },
  clientCertificate: { path: 'clientCertificate', env: undefined },
};

let first: ClientCertificate;
let second: ClientCertificate;

beforeAll(async () => {
  const authority = await ClientAuthority.create();
  [first, second] = await Promise.all([authority.issue('first'), authority.issue('second')]);
});

/**
 * A key and its certificate in two files of a volume.
 *
 * @param changes of the volume, each after a reading of the key.
 */
function givenFiles(...changes: readonly ClientCertificate[]) {
  const volume = new MountedSecret(first);
  const keyFile = secretOfFile(volume.files.key, PLACES.clientKey, CREDENTIAL_KINDS.clientKey());
  const certificateFile = secretOfFile(
    volume.files.cert,
    PLACES.clientCertificate,
    CREDENTIAL_KINDS.clientCertificate(),
  );
  const readings: Promise<unknown>[] = [];
  const source = signingKeySource({
    key: {
      read: () => {
        const change = changes[readings.length];
        const reading = keyFile.read().finally(() => change && volume.replace(change));
        readings.push(reading);
        return reading;
      },
    },
    certificate: {
      read: async () => {
        await readings.at(-1);
        return certificateFile.read();
      },
    },
    assertion: { certificate: 'x5c' },
    keyId: undefined,
    placeOf: (member) => PLACES[member],
  });
  return { source, volume, readings };
}

describe('B31: a key and its certificate in two files', () => {
  it('B31: are read once more if the volume is replaced between the two', async () => {
    const { source, readings } = givenFiles(second);
    expect((await source.read()).certificate).toBe(second.cert.trim());
    expect(readings).toHaveLength(2);
  });

  it('B31: are read twice at most, and the error names the setting', async () => {
    const { source, volume, readings } = givenFiles();
    volume.replace({ key: first.key, cert: second.cert });
    expect(String(await errorOf(source.read()))).toMatch(
      /clientCertificate {2}does not belong to the key in clientKey\./,
    );
    expect(readings).toHaveLength(2);
  });
});
