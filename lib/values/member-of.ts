/** The member of an object or of its class. A member of a polluted `Object.prototype` does not count. */
export function memberOf(object: object, name: PropertyKey): unknown {
  return name in Object.prototype && !ownsOrDeclares(object, name) ? undefined : Reflect.get(object, name);
}

function ownsOrDeclares(object: object, name: PropertyKey): boolean {
  let owner: object | null = object;
  while (owner !== null && owner !== Object.prototype) {
    if (Object.hasOwn(owner, name)) return true;
    owner = Object.getPrototypeOf(owner) as object | null;
  }
  return false;
}
