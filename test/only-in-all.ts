/**
 * The specs that only `npm run test:all` runs, each with its reason. `npm test` proves every rule without them
 * (`test/package/rules-in-npm-test.spec.ts`). `.ci/run` runs everything.
 */
export const SPECS_ONLY_IN_ALL: Readonly<Record<string, string>> = {
  'test/e2e/operations/doctor-troubles.spec.ts':
    'Two processes for each problem. `doctor.spec.ts` has one problem of each step.',
  'test/e2e/operations/doctor-tls.spec.ts':
    'Starts the doctor many times. `e2e/tls/connections.spec.ts` proves the settings.',
  'test/e2e/tls/proxies.spec.ts':
    'Starts a process for each proxy. `e2e/tls/connections.spec.ts` has the connections without a proxy.',
  'test/fleet/at-boot.spec.ts':
    'Boots 64 processes. `e2e/operations/token-at-boot.spec.ts` has the cases of one process.',
  'test/e2e/soak/soak.spec.ts': 'Random faults for 15 s. Other specs prove the rules that it checks.',
  'test/e2e/undici/soak.spec.ts': 'Memory and sockets over thousands of calls.',
  'test/package/foreign-apps.spec.ts':
    'npm installs two applications, which takes minutes on a slow network.',
  'test/package/size.spec.ts':
    'npm installs an application. `installation.spec.ts` counts the packages without the command.',
  'test/package/samples.spec.ts': 'Builds and starts each sample as a reader does.',
};

/**
 * `npm test` runs these specs on the default transport, and `npm run test:all` also on `undiciTransport()`. Both commands run
 * `test/e2e/undici/conformance.spec.ts`, which compares the two transports case by case.
 */
export const ALSO_ON_UNDICI = {
  e2e: ['test/e2e/http/*.spec.ts'],
  hostile: ['test/hostile/api-*.spec.ts'],
};

/** The lowest axios of our range; `package.json` has it as `axios-lowest`. */
export const LOWEST_AXIOS = '1.18.0';

/** `npm run test:all` also runs these specs on the lowest axios. */
export const ON_LOWEST_AXIOS = [
  'test/hostile/api-redirects.spec.ts',
  'test/hostile/api-addresses.spec.ts',
  'test/hostile/api-changed-requests.spec.ts',
  'test/hostile/api-detours.spec.ts',
  'test/e2e/http/redirects.spec.ts',
  'test/e2e/http/resolved-address.spec.ts',
];
