import { readAtOnce, readOptions } from '../config/read-rows.js';
import { type SettingRows, wholeNumber } from '../config/table/setting.js';

/** Options of `undiciTransport()`. */
export interface UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  readonly connections?: number | undefined;
}

const OPTIONS = {
  connections: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  allowH2: {
    flawOf: () =>
      'is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out. Certificates come from tls.',
  },
  connect: {
    flawOf: () =>
      'is not an option any more. Set certificates, a passphrase, servername, minVersion and ciphers in tls of the environment. ' +
      'For lookup and family, use the default transport with http.httpsAgent: new https.Agent({ lookup, family }).',
  },
} as const satisfies SettingRows<void>;

/** Refuses wrong options before the first request (C4). */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  readOptions('http.transport', options, (node) => {
    node.refuseUnknown(Object.keys(OPTIONS));
    readAtOnce(node, OPTIONS);
  });
}
