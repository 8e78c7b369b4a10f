/**
 * The base class of all errors from this module. No error contains an axios object, a request, a response, a cause or a secret.
 * Each message ends with what to do.
 */
export abstract class ProviderAuthError extends Error {
  /** The kind of error. Codes are stable, so you can compare them. */
  abstract readonly code: string;
}

/**
 * Gives a class and its errors a name that no bundler shortens: `console.log` prints both. On the prototype, because an own `name`
 * would be printed as a property of each instance.
 *
 * @internal
 */
export function nameErrors(errorClass: { readonly prototype: ProviderAuthError }, name: string): void {
  for (const target of [errorClass, errorClass.prototype])
    Object.defineProperty(target, 'name', { value: name, configurable: true });
}
