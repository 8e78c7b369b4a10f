import type { AxiosProgressEvent } from 'axios';

type Listener = (event: AxiosProgressEvent) => void;

/** Counts the bytes of an upload or of an answer for the caller's listener. */
export interface Progress {
  add(bytes: number): void;
  /** The last event always comes. */
  end(): void;
}

/** As axios: at most three events a second. */
const EVERY_MS = 1_000 / 3;

/** @param length the value of `Content-Length`, if there is one. */
export function progressOf(listener: Listener, kind: 'upload' | 'download', length: unknown): Progress {
  const known = Number(length);
  const total = Number.isFinite(known) ? known : undefined;
  let loaded = 0;
  let notified = 0;
  let notifiedAt = -Infinity;
  const notify = (now: number): void => {
    const bytes = loaded - notified;
    const rate = Math.round((bytes * 1_000) / Math.max(1, now - notifiedAt)) || undefined;
    notified = loaded;
    notifiedAt = now;
    const event = {
      loaded,
      total,
      progress: total ? loaded / total : undefined,
      bytes,
      rate,
      estimated: rate && total ? (total - loaded) / rate : undefined,
      event: { lengthComputable: total !== undefined, total, loaded },
      lengthComputable: total !== undefined,
      [kind]: true,
    };
    queueMicrotask(() => listener(event as AxiosProgressEvent));
  };
  return {
    add(bytes) {
      loaded += bytes;
      const now = performance.now();
      if (now - notifiedAt >= EVERY_MS) notify(now);
    },
    end() {
      if (loaded > notified) notify(performance.now());
    },
  };
}
