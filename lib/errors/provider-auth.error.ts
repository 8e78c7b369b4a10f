/**
 * The base class of all errors from this module. No error contains an axios object, a request, a response, a cause or a secret.
 * Each message ends with what to do.
 */
export abstract class ProviderAuthError extends Error {
  /** The kind of error. Codes are stable, so you can compare them. */
  abstract readonly code: string;
}

/**
 * Gives a class its name as a text. A bundler that minifies shortens the names of classes, and an error gets its name from its
 * class, in `name`, in `stack` and in the output of `console.log`.
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
