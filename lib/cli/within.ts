/** The code of an attempt that took too long, beside those that Node gives. */
export const TOO_SLOW = 'ETIMEDOUT';

/** Ends an attempt that takes too long, with an error that has a code as Node's own have. */
export function within<Result>(
  ms: number,
  attempt: (resolve: (result: Result) => void, reject: (error: Error) => void) => () => void,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const timer = setTimeout(() => {
      end();
      reject(Object.assign(new Error(TOO_SLOW), { code: TOO_SLOW }));
    }, ms);
    const end = attempt(
      (result) => {
        clearTimeout(timer);
        resolve(result);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/** A code of Node's own making; `undefined` where there is none. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : undefined;
}
