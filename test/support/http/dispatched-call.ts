import type { Dispatcher } from 'undici';
import { errorCode } from '../../../lib/errors/error-code.js';

interface Dispatching {
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): unknown;
}

/** A request that is dispatched on a pool, and what undici reports of it. */
export class DispatchedCall implements Dispatcher.DispatchHandler {
  readonly path: string;
  readonly reports: string[] = [];
  isOver = false;
  /** The body of the answer, or the code or the text of the error. */
  readonly outcome: Promise<string>;
  controller: Dispatcher.DispatchController | undefined;
  #body = '';
  #settle: (outcome: string) => void = () => undefined;

  constructor(pool: Dispatching, path: string, members: Partial<Dispatcher.DispatchOptions> = {}) {
    this.path = path;
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
    pool.dispatch({ path, method: 'GET', ...members }, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    this.reports.push('start');
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.reports.push(String(status));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.reports.push('data');
    this.#body += chunk.toString();
  }

  dispatchAgain(): void {
    this.reports.push('again');
    this.#settle('again');
  }

  onResponseEnd(): void {
    this.reports.push('end');
    this.#settle(this.#body);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.reports.push('error');
    this.#settle(errorCode(error) ?? error.message);
  }
}
