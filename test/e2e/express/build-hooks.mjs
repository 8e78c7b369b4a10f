/** What the comparison chose. See `main.ts`. */
let chosen = { folder: undefined, axios: 'axios' };

/** @param data the address of the folder of another build, and the name under which axios is installed. */
export function initialize(data) {
  chosen = data;
}

/** Both builds use the packages of this checkout, so that only the builds differ. The other folder needs no packages. */
export function resolve(specifier, context, next) {
  const name = specifier === 'axios' ? chosen.axios : specifier;
  const isPackage = /^[a-z@]/.test(name) && !name.includes(':');
  return isPackage && isInBuild(context.parentURL)
    ? next(name, { ...context, parentURL: import.meta.url })
    : next(name, context);
}

/** A copy of a build lacks the `package.json` that says which kind of modules the files are. */
export async function load(url, context, next) {
  return next(url, isInBuild(url) && url.endsWith('.js') ? { ...context, format: 'module' } : context);
}

function isInBuild(url) {
  return chosen.folder !== undefined && url?.startsWith(chosen.folder) === true;
}
