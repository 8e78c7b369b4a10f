import type { InternalAxiosRequestConfig } from 'axios';
import type { RequestAddress } from '../../net/base-address.js';
import { TokenRedaction } from './token-redaction.js';

/** What has to be known of a call to clean what came of it. */
export class CallTrace {
  /** Where the last attempt went. Undefined until an adapter got one: an error then shows which request it was. */
  address: RequestAddress | undefined;
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
