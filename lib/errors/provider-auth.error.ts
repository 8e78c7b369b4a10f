/**
 * The base class of all errors of this library. No error holds an axios object, a request, a response, a cause or a secret
 * (S10, B12). Each message ends with advice on how to fix the problem.
 */
export abstract class ProviderAuthError extends Error {
  /** The kind of error. Codes are stable, so that you can compare them. */
  abstract readonly code: string;
}

/**
 * Gives a class its name as a text. A bundler that minifies shortens the names of classes, and an error gets its name from its
 * class, in `name`, in `stack` and in the output of `console.log` (B15).
 *
 * @internal
 */
export function nameClass(errorClass: { readonly prototype: ProviderAuthError }, name: string): void {
  Object.defineProperty(errorClass, 'name', { value: name, configurable: true });
}

// On the prototype: an own `name` would be printed as a property of each instance.
Object.defineProperty(ProviderAuthError.prototype, 'name', {
  configurable: true,
  get(this: ProviderAuthError) {
    return this.constructor.name;
  },
});
