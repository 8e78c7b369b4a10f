import { AsyncResource } from 'node:async_hooks';
import type { Dispatcher } from 'undici';
import type { CallersRequest } from '../../../lib/undici/pool/connection-pool.js';
import { errorCode } from '../../../lib/errors/error-code.js';

interface Dispatching {
  dispatch(request: CallersRequest, handler: Dispatcher.DispatchHandler): unknown;
}

/** A request that is dispatched on a pool, and what undici reports of it. */
export class DispatchedCall implements Dispatcher.DispatchHandler {
  readonly path: string;
  readonly reports: string[] = [];
  /** The body of the answer, or the code or the text of the error. */
  readonly outcome: Promise<string>;
  controller: Dispatcher.DispatchController | undefined;
  #body = '';
  #settle: (outcome: string) => void = () => undefined;

  constructor(pool: Dispatching, path: string, members: Partial<Dispatcher.DispatchOptions> = {}) {
    this.path = path;
    this.outcome = new Promise((resolve) => (this.#settle = resolve));
    pool.dispatch({ path, method: 'GET', caller: new AsyncResource('call'), ...members }, this);
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

  onResponseEnd(): void {
    this.reports.push('end');
    this.#settle(this.#body);
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error): void {
    this.reports.push('error');
    this.#settle(errorCode(error) ?? error.message);
  }
}
