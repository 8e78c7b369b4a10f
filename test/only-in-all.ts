/**
 * What `npm test` leaves to `npm run test:all`, and why. `npm test` proves every rule without these
 * (`test/package/rules-in-npm-test.spec.ts`); `.ci/run` runs everything.
 */
export const SPECS_ONLY_IN_ALL: Readonly<Record<string, string>> = {
  'test/e2e/operations/doctor-troubles.spec.ts':
    'Two processes for each trouble. `doctor.spec.ts` has one trouble of each step.',
  'test/e2e/soak/soak.spec.ts': 'Random faults for 15 s. The rules that it checks have specs of their own.',
  'test/e2e/undici/soak.spec.ts': 'Memory and sockets over thousands of calls.',
  'test/package/foreign-apps.spec.ts':
    'npm installs two applications, which takes minutes on a slow network.',
  'test/package/size.spec.ts':
    'npm installs an application. `installation.spec.ts` counts the packages without the command.',
  'test/package/samples.spec.ts': 'Builds and starts each sample as a reader does.',
};

/**
 * `npm test` runs these on the default transport, and `npm run test:all` also on `undiciTransport()`. What the two have in
 * common is compared in one table by `test/e2e/undici/conformance.spec.ts`, which both commands run.
 */
export const ALSO_ON_UNDICI = {
  e2e: ['test/e2e/http/*.spec.ts'],
  hostile: ['test/hostile/api-*.spec.ts'],
};

/** The lowest axios of our range; `package.json` has it as `axios-lowest`. */
export const LOWEST_AXIOS = '1.18.0';

/** `npm run test:all` runs these on the lowest axios, too. */
export const ON_LOWEST_AXIOS = [
  'test/hostile/api-redirects.spec.ts',
  'test/hostile/api-addresses.spec.ts',
  'test/hostile/api-changed-requests.spec.ts',
  'test/hostile/api-detours.spec.ts',
  'test/e2e/http/redirects.spec.ts',
];
