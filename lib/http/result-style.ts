import type { AxiosResponse } from 'axios';
import type { ReceivedBody, Sealing } from '../wire/received-body.js';

/** How a caller gets its result. */
export interface ResultStyle {
  /** Makes the body that the caller reads. */
  streamOf(body: ReceivedBody, sealing: Sealing, headers: AxiosResponse['headers']): unknown;
  /** Whether the headers of a success are searched for the token, too. */
  readonly redactsSuccess: boolean;
  onRedirect(): unknown;
}
