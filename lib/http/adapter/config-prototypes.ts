/** What a config is copied onto; `Object.prototype` is in none of their chains. Which one is a matter of microseconds. */

const NOTHING = Object.freeze(Object.create(null) as object);

/** For axios' http adapter, which asks prototypes for each setting that is not there: none at all is faster for it. */
export function empty(): object {
  return Object.create(null) as object;
}

/** Node keeps what has a prototype, be it an empty one, in a form that is filled faster. */
export function swift(): object {
  return Object.create(NOTHING) as object;
}

const ENDED_BY = Symbol('ended by');

interface Ended {
  [ENDED_BY]?: { readonly signal: AbortSignal };
}

/** A getter that each config had of its own would cost as much as everything else that is put into it. */
const SIGNAL = Object.freeze(
  Object.create(null, {
    signal: {
      get(this: Ended): AbortSignal | undefined {
        return this[ENDED_BY]?.signal;
      },
      set(value: unknown): void {
        Object.defineProperty(this, 'signal', {
          value,
          writable: true,
          enumerable: true,
          configurable: true,
        });
      },
    },
  }) as object,
);

/** With a `signal` that is made when somebody looks at it, see `endedBy`. */
export function withSignal(): object {
  return Object.create(SIGNAL) as object;
}

export function endedBy(blank: object, end: { readonly signal: AbortSignal }): void {
  (blank as Ended)[ENDED_BY] = end;
}
