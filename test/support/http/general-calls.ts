import { Axios, type AxiosInstance } from 'axios';

/** The calls that axios itself has made, by the interceptors of their instance. */
const callsByAxios = new WeakMap<object, number>();

/** The method in which axios merges the config of a call. The short way never calls this method of its instance. */
const MERGING = '_request';
const merging = Reflect.get(Axios.prototype, MERGING) as (...given: unknown[]) => unknown;
Reflect.set(Axios.prototype, MERGING, function counted(this: Axios, ...given: unknown[]) {
  callsByAxios.set(this.interceptors, (callsByAxios.get(this.interceptors) ?? 0) + 1);
  return Reflect.apply(merging, this, given);
});

/** How many calls of an instance axios has made, and not the short way. */
export function generalCallsOf({ interceptors }: AxiosInstance): number {
  return callsByAxios.get(interceptors) ?? 0;
}
