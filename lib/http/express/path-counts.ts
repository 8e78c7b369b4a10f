import type { AxiosInstance } from 'axios';

/** How many calls of a client took which path. Only tests read the numbers. */
export interface PathCounts {
  express: number;
  general: number;
}

const counts = new WeakMap<AxiosInstance, PathCounts>();

export function countPaths(instance: AxiosInstance, ofInstance: PathCounts): void {
  counts.set(instance, ofInstance);
}

/** The numbers of a client of ours, by its `axiosRef`. They change with each call. */
export function pathCountsOf(instance: AxiosInstance): Readonly<PathCounts> {
  const ofInstance = counts.get(instance);
  if (ofInstance === undefined) throw new TypeError('This axios instance is no client of this module.');
  return ofInstance;
}
