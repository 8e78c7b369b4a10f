import { BODIES_OF_ANSWERS, encodedBody } from './answer-bodies.js';
import type { AnswerPlan, Fault, Framing } from './answer-plan.js';
import type { Step } from './scripted-server.js';

/** When a call ends before its answer is complete, the server waits there until the client ends the connection. */
export type Stop = 'at-request' | 'in-body' | undefined;

const BETWEEN_PIECES_MS = 3;

export interface Surroundings {
  /** Replaces `<base>` in headers. */
  readonly base: string;
  readonly stop: Stop;
  /** The time in which the client reads the first bytes of an answer, before the caller ends the call. */
  readonly readingMs: number;
}

/** The bytes of an answer to a request, and the pauses between the bytes. */
export function stepsOf(plan: AnswerPlan, request: string, { base, stop, readingMs }: Surroundings): Step[] {
  if (stop === 'at-request') return ['hold'];
  const broken = brokenHead(plan);
  if (broken) return broken;
  const hasBody = !request.startsWith('HEAD ') && plan.status !== 204 && plan.status !== 304;
  const whole = BODIES_OF_ANSWERS[plan.body](request);
  const { name, bytes } = plan.encoding
    ? encodedBody(plan.body, plan.encoding, whole)
    : { name: undefined, bytes: whole };
  const [framing, pieces, ends] = framed(bytes, stop ? incomplete(plan.framing) : plan.framing);
  const lines = [
    ...(plan.informational ?? []).map((status) => `HTTP/1.1 ${status} Wait\r\nLink: </style>\r\n`),
    [
      `HTTP/${plan.fault === 'old-version' ? '1.0' : '1.1'} ${plan.status} ${plan.reason}`,
      ...plan.headers.map(([header, value]) => `${header}: ${value.replace('<base>', base)}`),
      ...(name === undefined ? [] : [`Content-Encoding: ${name}`]),
      ...framing,
      '',
    ].join('\r\n'),
  ];
  const head = Buffer.from(lines.map((part) => `${part}\r\n`).join(''), 'latin1');
  if (plan.fault === 'in-headers') return [head.subarray(0, head.length - 3), 'close'];
  // An answer without a body is complete: the call ends before it can be stopped.
  if (!hasBody) return [head];
  if (stop) return [Buffer.concat([head, ...pieces.slice(0, 1)]), readingMs, 'in-body', 'hold'];
  if (plan.fault === 'in-body' || plan.fault === 'reset-in-body') {
    const part = Buffer.concat([head, bytes.subarray(0, Math.floor(bytes.length / 2))]);
    return [part, BETWEEN_PIECES_MS, plan.fault === 'in-body' ? 'close' : 'reset'];
  }
  const last: Step[] = ends || plan.fault === 'old-version' ? ['close'] : [];
  if (!plan.slow) return [Buffer.concat([head, ...pieces]), ...last];
  return [head, ...pieces.flatMap((piece) => [BETWEEN_PIECES_MS, piece]), ...last];
}

/** The bytes after which the server ends the connection, if the fault is in the head. */
const BROKEN_HEADS: Partial<Record<Fault, string>> = {
  'before-headers': '',
  'in-status-line': 'HTTP/1.1 20',
  'not-http': 'SSH-2.0-OpenSSH_9.6\r\n',
  'header-without-colon': 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
};

function brokenHead({ fault }: AnswerPlan): Step[] | undefined {
  if (fault === 'reset-before-headers') return ['reset'];
  const head = fault && BROKEN_HEADS[fault];
  return head === undefined ? undefined : [Buffer.from(head), 'close'];
}

/** With a framing that is never complete, the call cannot end before it is stopped. */
function incomplete(framing: Framing | undefined): Framing {
  return framing === 'chunked' ? 'chunked' : 'too-long';
}

/** The header lines of the framing, the pieces of the body, and whether the connection ends after the body. */
function framed(bytes: Buffer, framing: Framing | undefined): [string[], Buffer[], boolean] {
  const pieces = inThree(bytes);
  switch (framing) {
    case 'chunked':
      return [['Transfer-Encoding: chunked'], [...pieces.map(chunk), LAST_CHUNK], false];
    case 'trailers':
      return [
        ['Transfer-Encoding: chunked', 'Trailer: X-Sum'],
        [...pieces.map(chunk), Buffer.from('0\r\nX-Sum: 1\r\n\r\n')],
        false,
      ];
    case 'until-close':
      return [['Connection: close'], pieces, true];
    case 'too-long':
      return [[`Content-Length: ${bytes.length + 5}`], pieces, true];
    case 'too-short':
      return [[`Content-Length: ${Math.floor(bytes.length / 2)}`], pieces, true];
    case 'no-number':
      return [['Content-Length: many'], pieces, true];
    case 'twice':
      return [[`Content-Length: ${bytes.length}`, `Content-Length: ${bytes.length}`], pieces, true];
    case undefined:
    default:
      return [[`Content-Length: ${bytes.length}`], pieces, false];
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function chunk(bytes: Buffer): Buffer {
  if (bytes.length === 0) return bytes;
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

function inThree(bytes: Buffer): Buffer[] {
  const third = Math.ceil(bytes.length / 3);
  return [bytes.subarray(0, third), bytes.subarray(third, 2 * third), bytes.subarray(2 * third)];
}
