import { isObject } from '../../values/is-object.js';

/** A body that is read while it is sent may fail, for example because its own source cannot be reached. */
const errors = new WeakSet<object>();

/** Remembers that this error came from the body of a caller. Returns the error. */
export function markBodyError<Reason>(error: Reason): Reason {
  if (isObject(error)) errors.add(error);
  return error;
}

/** Whether the body of the caller made a request fail. Adapters wrap the error of the body, and keep it as the cause. */
export function isBodyError(error: unknown): boolean {
  return (
    isObject(error) && [error, Reflect.get(error, 'cause')].some((one) => isObject(one) && errors.has(one))
  );
}
