import { type AxiosAdapter, getAdapter, type InternalAxiosRequestConfig } from 'axios';

const httpAdapter = getAdapter('http');

/** What the road has to know of the adapter that carries a request. */
export interface Carrier {
  readonly adapter: AxiosAdapter;
  /** axios' http adapter: it takes a cancel token, its own timer is not needed, it follows redirects hop by hop. */
  readonly isHttp: boolean;
  /** axios' fetch adapter: it follows redirects where nobody can judge them, so it is told not to. */
  readonly isFetch: boolean;
}

export function carrierOf(adapter: AxiosAdapter, config?: InternalAxiosRequestConfig): Carrier {
  const isHttp = adapter === httpAdapter;
  return { adapter, isHttp, isFetch: !isHttp && adapter === getAdapter('fetch', config) };
}

/** The adapter that axios would have chosen from a name, a function or a list of both. */
export function chosenCarrier(
  choice: InternalAxiosRequestConfig['adapter'],
  config: InternalAxiosRequestConfig,
): Carrier {
  return carrierOf(getAdapter(choice, config), config);
}
