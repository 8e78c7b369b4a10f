import type { InternalAxiosRequestConfig } from 'axios';
import { TokenRedaction } from './token-redaction.js';

/** What has to be known of a call to clean what came of it. */
export class CallTrace {
  readonly #tokens: string[] = [];
  #redaction: TokenRedaction | undefined;

  constructor(
    /** The config that the caller may see: theirs, in which a token never was. */
    readonly config: InternalAxiosRequestConfig,
  ) {}

  /** A token leaves with the next attempt. */
  carries(token: string): void {
    this.#tokens.push(token);
    this.#redaction = undefined;
  }

  /** Whether the call carried a token of ours at all. */
  get hasCarried(): boolean {
    return this.#tokens.length > 0;
  }

  /** Made on the first failure; a success needs none. */
  get redaction(): TokenRedaction {
    return (this.#redaction ??= new TokenRedaction(this.#tokens));
  }
}
