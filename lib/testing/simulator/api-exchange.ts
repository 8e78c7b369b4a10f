import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, type Answer } from './answer.js';
import type { ApiDestination } from './addresses.js';
import { Exchange, type Stage } from './exchange.js';
import type { ApiRequestRecord } from './records.js';

const NO_BODY_SHA256 = createHash('sha256').digest('hex');

/** A request to an address under a base URL, or to none. */
export class ApiExchange extends Exchange {
  readonly path: string;

  /** @hidden */
  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    at: ApiDestination | undefined,
    private readonly record: ApiRequestRecord | undefined,
    stage: Stage,
    private readonly refusal: Answer | undefined,
  ) {
    super(request, response, body, at?.pair ?? {}, stage);
    this.path = at?.path ?? request.url ?? '';
  }

  /** Whether no script has a say in it. @internal */
  get refused(): boolean {
    return this.refusal !== undefined;
  }

  /** @internal */
  note(records: ApiRequestRecord[]): void {
    if (this.record) records.push(this.record);
  }

  /** Says what arrived, so that a test can compare it with what was sent; of the headers it repeats none. */
  regular(): Answer {
    if (this.refusal) return this.refusal;
    const { body } = this;
    return json(200, {
      interface: this.interface,
      environment: this.environment,
      method: this.request.method,
      path: this.path,
      bodyLength: body.length,
      bodySha256: body.length === 0 ? NO_BODY_SHA256 : createHash('sha256').update(body).digest('hex'),
    });
  }

  protected answered(status: number): void {
    if (this.record) this.record.status = status;
  }
}
