import { AUTHORIZATION_HEADER } from '../catalogue/wire.js';

const LOWER_CASE = AUTHORIZATION_HEADER.toLowerCase();

/** Whether a header's name, in whatever case it was written, is the one that carries the token. */
export function isAuthorization(name: string): boolean {
  // The length first: this is asked of every header of every request.
  return name.length === LOWER_CASE.length && name.toLowerCase() === LOWER_CASE;
}
