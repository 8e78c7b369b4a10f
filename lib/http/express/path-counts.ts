/** How many calls of an axios instance, or requests of a `fetch`, took which path. Only tests read the numbers. */
export interface PathCounts {
  express: number;
  general: number;
}

const counts = new WeakMap<object, PathCounts>();

export function countPaths(client: object, ofClient: PathCounts): void {
  counts.set(client, ofClient);
}

/** The numbers of a client of ours, by its `axiosRef` or its `fetch`. They change with each call. */
export function pathCountsOf(client: object): Readonly<PathCounts> {
  const ofClient = counts.get(client);
  if (ofClient === undefined) throw new TypeError('This is no client of this module.');
  return ofClient;
}
