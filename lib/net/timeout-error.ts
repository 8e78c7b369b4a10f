import { AxiosError, type InternalAxiosRequestConfig } from 'axios';

/**
 * The error that axios itself makes when a timeout ends a request, by the options that axios has for this error.
 *
 * @param detail what follows the usual message. A message of the caller is never changed.
 */
export function timeoutError(config: InternalAxiosRequestConfig, request: unknown, detail = ''): AxiosError {
  const { timeout, timeoutErrorMessage, transitional } = config;
  const message = timeoutErrorMessage || `timeout of ${timeout}ms exceeded${detail}`;
  const code = transitional?.clarifyTimeoutError ? AxiosError.ETIMEDOUT : AxiosError.ECONNABORTED;
  return new AxiosError(message, code, config, request);
}
