import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Arguments<Event extends keyof Handler> = Parameters<NonNullable<Handler[Event]>>;

/** Passes each event of a request to another handler, and calls back once when the request has ended. */
export class CountedHandler implements Handler {
  readonly #handler: Handler;
  #ended: (() => void) | undefined;

  constructor(handler: Handler, ended: () => void) {
    this.#handler = handler;
    this.#ended = ended;
  }

  onRequestStart(...args: Arguments<'onRequestStart'>): void {
    this.#handler.onRequestStart?.(...args);
  }

  onResponseStart(...args: Arguments<'onResponseStart'>): void {
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(...args: Arguments<'onResponseData'>): void {
    this.#handler.onResponseData?.(...args);
  }

  onResponseEnd(...args: Arguments<'onResponseEnd'>): void {
    this.#handler.onResponseEnd?.(...args);
    this.#end();
  }

  onResponseError(...args: Arguments<'onResponseError'>): void {
    this.#handler.onResponseError?.(...args);
    this.#end();
  }

  #end(): void {
    const ended = this.#ended;
    this.#ended = undefined;
    ended?.();
  }
}
