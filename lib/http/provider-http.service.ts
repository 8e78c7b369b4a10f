import { HttpService } from '@nestjs/axios';
import { type AxiosPromise, type AxiosRequestConfig, type AxiosResponse, CanceledError } from 'axios';
import { Observable } from 'rxjs';
import { Cancellation } from './adapter/cancellation.js';

/** `HttpService` whose observables cost nothing beyond the request. */
export class ProviderHttpService extends HttpService {
  /**
   * As Nest's, which also cancels each request when it has completed: half of what it costs. Unsubscribing before the
   * answer ends the request; afterwards there is nothing to end, a streamed body included.
   */
  protected override makeObservable<T>(
    send: (...args: unknown[]) => AxiosPromise<T>,
    ...args: unknown[]
  ): Observable<AxiosResponse<T>> {
    return new Observable((subscriber) => {
      const config: AxiosRequestConfig = { ...(args.at(-1) as AxiosRequestConfig | undefined) };
      const cancellation = config.cancelToken ? undefined : new Cancellation();
      if (cancellation) config.cancelToken = cancellation;
      let answered = false;
      send(...args.slice(0, -1), config).then(
        (response) => {
          answered = true;
          subscriber.next(response);
          return subscriber.complete();
        },
        (error: unknown) => {
          answered = true;
          subscriber.error(error);
        },
      );
      return () => {
        if (!answered) cancellation?.cancel(new CanceledError());
      };
    });
  }
}
