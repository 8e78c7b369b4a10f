import { readOptions, Refused, Whole } from '../config/setting.js';

/** Options of `undiciTransport()`. */
export class UndiciTransportOptions {
  /**
   * The most connections for each interface and environment. More requests wait for a free one.
   * @default no limit
   */
  @Whole(1)
  readonly connections?: number | undefined;

  /** @internal */
  @Refused(
    'is not an option: the transport uses HTTP/1.1 and does not offer HTTP/2. Leave it out. Certificates come from tls.',
  )
  readonly allowH2?: never;

  /** @internal */
  @Refused(
    'is not an option any more. Set certificates, a passphrase, servername, minVersion and ciphers in tls of the environment. ' +
      'For lookup and family, use the default transport with http.httpsAgent: new https.Agent({ lookup, family }).',
  )
  readonly connect?: never;
}

/** Refuses wrong options before the first request. */
export function checkTransportOptions(options: UndiciTransportOptions): void {
  readOptions(UndiciTransportOptions, options, 'http.transport');
}
