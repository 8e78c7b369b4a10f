import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { type SeenRequest, WireServer } from '../http/wire-server.js';

export interface Answer {
  readonly status: number;
  readonly body: object;
}

/** How one real provider answers, as its documentation says. */
export interface Play {
  /** The exact form of a token request, without an assertion. */
  readonly form: Readonly<Record<string, string>>;
  /** The exact header `Authorization` of a token request. Undefined if there must be none. */
  readonly basic?: string;
  /** Checks the client assertion. Undefined if there must be none. */
  readonly verify?: (assertion: string) => Promise<unknown>;
  /** The nth token. */
  readonly token: (n: number) => string;
  /** The answer that grants it. */
  readonly grant: (token: string) => object;
  /** The answer to wrong credentials. */
  readonly refusal: Answer;
  /** The answer of the API to a token that has expired. */
  readonly expired: Answer;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** An HTTPS server that plays the token endpoint and the API of one provider. */
export class PlayedProvider {
  readonly granted: string[] = [];
  /** What was wrong with refused token requests. */
  readonly faults: unknown[] = [];
  readonly #ended = new Set<string>();

  private constructor(
    private readonly play: Play,
    readonly server: WireServer,
  ) {}

  /** @param playOf gets the origin of the server. */
  static async start(playOf: (origin: string) => Play): Promise<PlayedProvider> {
    const server = await WireServer.start();
    const played = new PlayedProvider(playOf(server.url), server);
    server.handler = (_, response, seen) => void played.#serve(seen, response);
    return played;
  }

  /** The API refuses every token that was granted so far. */
  endTokens(): void {
    for (const token of this.granted) this.#ended.add(token);
  }

  async #serve(seen: SeenRequest, response: ServerResponse): Promise<void> {
    const { status, body } = await (seen.url === '/token'
      ? this.#tokenAnswer(seen.headers, seen.body.toString())
      : this.#apiAnswer(seen));
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  async #tokenAnswer(headers: IncomingHttpHeaders, body: string): Promise<Answer> {
    const fault = await this.#faultOf(headers, body);
    if (fault !== undefined) {
      this.faults.push(fault);
      return this.play.refusal;
    }
    const token = this.play.token(this.granted.length + 1);
    this.granted.push(token);
    return { status: 200, body: this.play.grant(token) };
  }

  async #faultOf(headers: IncomingHttpHeaders, body: string): Promise<unknown> {
    const fields = [...new URLSearchParams(body)];
    const { client_assertion: assertion, client_assertion_type: type, ...form } = Object.fromEntries(fields);
    if (fields.length !== Object.keys(Object.fromEntries(fields)).length) return 'a field twice';
    if (JSON.stringify(sorted(form)) !== JSON.stringify(sorted(this.play.form))) return form;
    if (headers.authorization !== this.play.basic) return headers.authorization ?? 'no header';
    if (this.play.verify === undefined) return assertion ?? type;
    if (type !== ASSERTION_TYPE || assertion === undefined) return type ?? 'no assertion';
    return this.play.verify(assertion).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  /** `/reflect` repeats the header, as the debug pages of many frameworks do. */
  #apiAnswer({ url, headers: { authorization = '' } }: SeenRequest): Answer {
    const token = this.granted.find((one) => authorization === `Bearer ${one}`);
    if (token === undefined || this.#ended.has(token)) return this.play.expired;
    return url === '/api/reflect'
      ? { status: 400, body: { authorization, token } }
      : { status: 200, body: { works: true } };
  }
}

const sorted = (form: object): unknown =>
  Object.entries(form).toSorted(([one], [other]) => (one < other ? -1 : 1));
