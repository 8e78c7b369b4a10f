import type { Dispatcher } from 'undici';

type Handler = Dispatcher.DispatchHandler;
type Told<Event extends keyof Handler> = Parameters<NonNullable<Handler[Event]>>;

/** Hands on what undici tells of a request, and says once when that was the last of it. */
export class CountedHandler implements Handler {
  readonly #handler: Handler;
  #over: (() => void) | undefined;

  constructor(handler: Handler, over: () => void) {
    this.#handler = handler;
    this.#over = over;
  }

  onRequestStart(...told: Told<'onRequestStart'>): void {
    this.#handler.onRequestStart?.(...told);
  }

  onResponseStart(...told: Told<'onResponseStart'>): void {
    this.#handler.onResponseStart?.(...told);
  }

  onResponseData(...told: Told<'onResponseData'>): void {
    this.#handler.onResponseData?.(...told);
  }

  onResponseEnd(...told: Told<'onResponseEnd'>): void {
    this.#handler.onResponseEnd?.(...told);
    this.#end();
  }

  onResponseError(...told: Told<'onResponseError'>): void {
    this.#handler.onResponseError?.(...told);
    this.#end();
  }

  #end(): void {
    const over = this.#over;
    this.#over = undefined;
    over?.();
  }
}
