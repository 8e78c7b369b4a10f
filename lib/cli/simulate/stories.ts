import { performance } from 'node:perf_hooks';
import type { ShownRequest } from './shown.js';

/** A token that the API refused, and what the application did then: token requests, and calls that it sent again. */
export interface Story {
  readonly id: number;
  /** The pair, and the account if there is one. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly from: number;
  /** When the last refused call was answered. Absent while the application recovers. */
  readonly until?: number;
  /** Why the first call was refused. */
  readonly reason: string;
  readonly refused: number;
  readonly sentAgain: number;
  /** How many of these failed again: their callers got an error. */
  readonly failedAgain: number;
  readonly tokenRequests: number;
  readonly refusedTokenRequests: number;
  /** Whether refused calls were not sent again in time. */
  readonly isOver: boolean;
  /** The requests in order: the first ones of each kind. */
  readonly steps: readonly ShownRequest[];
}

type Open = { -readonly [Name in keyof Story]: Story[Name] } & {
  readonly steps: ShownRequest[];
  /** When the last call was refused. */
  refusedAt: number;
  /** When the last refused call or token request was answered. */
  answeredAt: number;
  /** How long this process had been busy by then. */
  busyAtAnswer: number;
  /** The refused calls that were not sent again so far, by method and path. */
  readonly waiting: Map<string, number[]>;
};

/** A call does not take longer, unless the application changed `http.timeoutMs`. */
const LONGEST_MS = 30_000;

/**
 * A client that renews a token pauses for 2 s at most. A call after a longer silence is another call: the caller of the first one has
 * its error. Time in which this process was busy does not count.
 */
const LONGEST_SILENCE_MS = 3000;

/** Calls that were under way with the same token are refused a little later. They belong to the same story. */
const SAME_STORY_MS = 1000;

/** So many stories, and so many requests of each kind in a story, are remembered. */
const STORIES = 50;
const STEPS = 20;

/** Finds the calls that were sent again. A client sends no mark with them, so method and path must be the same. */
export class Stories {
  readonly #all: Open[] = [];
  readonly #newest = new Map<string, Open>();
  readonly #changed = new Set<Open>();
  #id = 0;

  /** `busyMs`: how long this process has been busy so far. */
  constructor(private readonly busyMs = () => performance.eventLoopUtilization().active) {}

  /** `isRefusal`: the API refused the token of this call. Returns the id of the refused call that this one repeats. */
  add(name: string, request: ShownRequest, isRefusal: boolean): number | undefined {
    const at = Date.parse(request.at);
    const story = this.#openOf(name, at);
    if (request.kind === 'token') {
      if (story === undefined || story.until !== undefined) return undefined;
      this.#changed.add(story);
      story.tokenRequests += 1;
      if (!request.ok) story.refusedTokenRequests += 1;
      this.#answered(story, at + request.durationMs);
      addStep(story, request, ({ kind }) => kind === 'token');
      return undefined;
    }
    const repeated = story && repeatedBy(story, request);
    if (story !== undefined && repeated !== undefined) {
      this.#changed.add(story);
      story.sentAgain += 1;
      // Hundreds of them take their time.
      this.#answered(story, at + request.durationMs);
      if (!request.ok) story.failedAgain += 1;
      addStep(story, { ...request, resendOf: repeated }, ({ resendOf }) => resendOf !== undefined);
      if (story.waiting.size === 0) story.until = at + request.durationMs;
      return repeated;
    }
    // An API that refuses tokens for ever makes one story after the other, not one without an end.
    const goesOn = story !== undefined && at <= story.from + LONGEST_MS;
    if (isRefusal) this.#refuse(goesOn ? story : this.#begin(name, at, request.reason), request, at);
    return undefined;
  }

  /** The oldest first. */
  list(now = Date.now()): readonly Story[] {
    return this.#all.map((story) => shownStory(story, now));
  }

  /** What has changed since the last call, the oldest first. */
  takeChanged(now = Date.now()): readonly Story[] {
    for (const story of this.#all) {
      // Only time has passed.
      if (isOver(story, now) !== story.isOver) this.#changed.add(story);
      story.isOver = isOver(story, now);
    }
    const changed = this.#all.filter((story) => this.#changed.has(story));
    this.#changed.clear();
    return changed.map((story) => shownStory(story, now));
  }

  #openOf(name: string, at: number): Open | undefined {
    const story = this.#newest.get(name);
    if (story === undefined) return undefined;
    const { until, refusedAt, answeredAt, busyAtAnswer } = story;
    const lasts =
      until === undefined
        ? Math.min(refusedAt + LONGEST_MS, answeredAt + LONGEST_SILENCE_MS + this.busyMs() - busyAtAnswer)
        : until + SAME_STORY_MS;
    return at <= lasts ? story : undefined;
  }

  #begin(name: string, from: number, reason: string): Open {
    const story: Open = {
      id: (this.#id += 1),
      name,
      from,
      refusedAt: from,
      answeredAt: from,
      busyAtAnswer: this.busyMs(),
      reason,
      refused: 0,
      sentAgain: 0,
      failedAgain: 0,
      tokenRequests: 0,
      refusedTokenRequests: 0,
      isOver: false,
      steps: [],
      waiting: new Map(),
    };
    this.#newest.set(name, story);
    this.#all.push(story);
    if (this.#all.length > STORIES) this.#all.shift();
    return story;
  }

  #answered(story: Open, at: number): void {
    story.answeredAt = Math.max(story.answeredAt, at);
    story.busyAtAnswer = this.busyMs();
  }

  #refuse(story: Open, request: ShownRequest, at: number): void {
    story.refusedAt = at;
    this.#answered(story, at + request.durationMs);
    story.refused += 1;
    this.#changed.add(story);
    delete story.until;
    const waiting = story.waiting.get(keyOf(request)) ?? [];
    story.waiting.set(keyOf(request), [...waiting, request.id]);
    addStep(story, request, ({ kind, resendOf }) => kind === 'api' && resendOf === undefined);
  }
}

function isOver({ until, refusedAt }: Open, now: number): boolean {
  return until === undefined && now > refusedAt + LONGEST_MS;
}

function shownStory(story: Open, now: number): Story {
  const {
    waiting: _waiting,
    refusedAt: _refusedAt,
    answeredAt: _answeredAt,
    busyAtAnswer: _busyAtAnswer,
    ...shown
  } = story;
  return { ...shown, isOver: isOver(story, now) };
}

/** Only after a token was issued: before, the same call is another caller's. */
function repeatedBy(story: Open, request: ShownRequest): number | undefined {
  const [first, ...others] = story.waiting.get(keyOf(request)) ?? [];
  if (first === undefined || story.tokenRequests === story.refusedTokenRequests) return undefined;
  if (others.length > 0) story.waiting.set(keyOf(request), others);
  else story.waiting.delete(keyOf(request));
  return first;
}

function addStep(story: Open, request: ShownRequest, isSameKind: (step: ShownRequest) => boolean): void {
  if (story.steps.filter(isSameKind).length < STEPS) story.steps.push(request);
}

function keyOf({ method, path }: ShownRequest): string {
  return `${method} ${path}`;
}
