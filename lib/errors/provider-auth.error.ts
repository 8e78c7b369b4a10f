/**
 * The ancestor of all errors that this library raises. None carries an axios object, a request, a response, a cause or
 * a secret (S10, B12); each message ends with what to do about it.
 */
export abstract class ProviderAuthError extends Error {
  /** Stable; meant for `switch`. */
  abstract readonly code: string;
}

// On the prototype: an own `name` would be printed as a property of each instance.
Object.defineProperty(ProviderAuthError.prototype, 'name', {
  configurable: true,
  get(this: ProviderAuthError) {
    return this.constructor.name;
  },
});
