/**
 * `npm run test:all` runs some tests with more cases or larger numbers than `npm test`, which must end within 5 minutes (B20).
 * `npx vitest run --mode all <file>` runs a spec as `npm run test:all` does.
 */
export function forThisRun<Extent>({ all, few }: { readonly all: Extent; readonly few: Extent }): Extent {
  return process.env['TEST_EXTENT'] === 'all' ? all : few;
}
