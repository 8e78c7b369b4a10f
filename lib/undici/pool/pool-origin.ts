import { Axios, type InternalAxiosRequestConfig } from 'axios';

/**
 * A path and a query that no URL parser would change: no segment that begins with a dot, nothing to encode. Nearly every
 * request has one, and needs no parsing.
 */
const PLAIN =
  /^\/?(?:[\w~!$&()*+,;=@-][\w.~!$&()*+,;=@-]*(?:\/[\w~!$&()*+,;=@-][\w.~!$&()*+,;=@-]*)*\/?)?(?:\?[\w.~!$&()*+,;=:@%/?-]*)?$/;

/** Joins as axios does, and knows nothing of the defaults that an application may have put on the global axios. */
const joiner = new Axios({});

/** The origin to which a connection pool connects, and the paths of requests on this origin. */
export class PoolOrigin {
  readonly origin: string;
  /** As `host` of Node's requests: without the port. */
  readonly hostname: string;
  /** As in a `Host` header. */
  readonly host: string;
  readonly #url: string;
  readonly #path: string;

  constructor(url: string) {
    const { origin, host, hostname, pathname } = new URL(url);
    this.origin = origin;
    this.host = host;
    this.hostname = hostname;
    this.#url = url;
    this.#path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  }

  /** Path and query as they go on the wire; undefined when the address is not on this origin, or not an address. */
  target(config: InternalAxiosRequestConfig): string | undefined {
    const path = this.#plainTarget(config) ?? this.#parsedTarget(config);
    if (path === undefined || !config.params) return path;
    const { params, paramsSerializer } = config as Pick<InternalAxiosRequestConfig, 'paramsSerializer'> & {
      params: unknown;
    };
    return joiner.getUri({ url: path, params, ...(paramsSerializer && { paramsSerializer }) });
  }

  #plainTarget({ baseURL, url }: InternalAxiosRequestConfig): string | undefined {
    if (baseURL !== this.#url) return undefined;
    if (!url) return this.#path || '/';
    if (!PLAIN.test(url)) return undefined;
    return url.startsWith('/') ? this.#path + url : `${this.#path}/${url}`;
  }

  #parsedTarget({ baseURL, url, allowAbsoluteUrls }: InternalAxiosRequestConfig): string | undefined {
    const address = new URL(
      joiner.getUri({
        ...(baseURL !== undefined && { baseURL }),
        ...(url !== undefined && { url }),
        ...(allowAbsoluteUrls !== undefined && { allowAbsoluteUrls }),
      }),
    );
    if (address.origin !== this.origin || address.username || address.password) return undefined;
    return address.pathname + address.search;
  }
}
