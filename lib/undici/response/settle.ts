import { AxiosError, type AxiosResponse } from 'axios';

/** What becomes of the adapter's promise. */
export interface Settling {
  resolve(response: AxiosResponse): void;
  reject(error: unknown): void;
}

/** Whether a status is a success is the caller's to say. */
export function settle(response: AxiosResponse, settling: Settling): void {
  const { status, config } = response;
  const request: unknown = response.request;
  try {
    if (!status || !config.validateStatus || config.validateStatus(status)) return settling.resolve(response);
  } catch (error) {
    return settling.reject(error);
  }
  const code = status >= 400 && status < 500 ? AxiosError.ERR_BAD_REQUEST : AxiosError.ERR_BAD_RESPONSE;
  settling.reject(
    new AxiosError(`Request failed with status code ${status}`, code, config, request, response),
  );
}
