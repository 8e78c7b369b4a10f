/**
 * The specs that only `npm run test:all` runs, each with its reason. `npm test` proves every rule without them
 * (`test/package/rules-in-npm-test.spec.ts`). `.ci/run` runs everything.
 */
export const SPECS_ONLY_IN_ALL: Readonly<Record<string, string>> = {
  'test/e2e/operations/doctor-troubles.spec.ts':
    'Consults the doctor for each certificate. `doctor.spec.ts` has one problem of each step.',
  'test/e2e/operations/doctor-api.spec.ts':
    'Consults the doctor dozens of times. `doctor.spec.ts` has the same steps where they pass, `same-advice.spec.ts` two that fail.',
  'test/e2e/tls/proxies.spec.ts':
    'Starts a process for each proxy. `e2e/tls/connections.spec.ts` has the connections without a proxy.',
  'test/e2e/tls/certificates-under-load.spec.ts':
    '200 calls a second by each way, for seconds. `changing-certificates.spec.ts` proves the same changes with single calls.',
  'test/e2e/simulator/load.spec.ts':
    'Plays scenarios of 10 s and more. `unit/cli/simulate` has the verdicts and the stories.',
  'test/fleet/at-boot.spec.ts':
    'Boots 64 processes. `e2e/operations/token-at-boot.spec.ts` has the cases of one process.',
  'test/fleet/mixed-clients.spec.ts':
    'Starts a process for each kind of Redis client. `clients.spec.ts` mixes clients in one process.',
  'test/fleet/cluster-faults.spec.ts':
    'Starts 11 clusters, and waits until they notice a dead node. `clients.spec.ts` uses a cluster that is killed and started again.',
  'test/e2e/module/worker-threads.spec.ts':
    'Starts a process for each case. `e2e/token/process.spec.ts` has the timers and connections of one process.',
  'test/e2e/operations/doctor-hostile.spec.ts':
    'Waits for timeouts of 5 s. `hostile/token-answers.spec.ts` has the same answers for the module.',
  'test/fleet/failover.spec.ts': 'Waits until a sentinel replaces a dead master, with five clients.',
  'test/e2e/express/planted-differences.spec.ts':
    'Proves the comparison of the request paths, not the paths. `fetch-same-result.spec.ts` compares the paths.',
  'test/e2e/express/planted-build.spec.ts':
    'Proves the comparison of two builds, which `npm run soak:pairs -- --against` makes before and after a refactoring.',
  'test/unit/token/fleet/explorer-depth.spec.ts':
    'Plays each fault in every order, and pairs of faults, for minutes. `explorer.spec.ts` plays each fault.',
  'test/e2e/soak/soak.spec.ts': 'Random faults for 15 s. Other specs prove the rules that it checks.',
  'test/e2e/http/fetch-streams.spec.ts':
    'Sends 192 MiB three times. `fetch-responses.spec.ts` shows the back-pressure of a download.',
  'test/e2e/undici/soak.spec.ts': 'Memory and sockets over thousands of calls.',
  'test/package/foreign-apps.spec.ts':
    'npm installs two applications, which takes minutes on a slow network.',
  'test/package/tutorial.spec.ts':
    'Creates three applications with the Nest CLI, in minutes. `manual.spec.ts` has the blocks, `installation.spec.ts` the commands.',
  'test/package/tracing.spec.ts':
    'npm installs an application with the SDK of OpenTelemetry. `manual.spec.ts` runs the telemetry without the SDK.',
  'test/package/size.spec.ts':
    'npm installs an application. `installation.spec.ts` counts the packages without the command.',
  'test/package/third-interface.spec.ts':
    'Compiles the repository twice. `unit/config/further-interface.spec.ts` adds an interface without compiling.',
  'test/package/manual-recipes.spec.ts':
    'Starts a process for each recipe. `manual.spec.ts` compiles all recipes and runs what a new user runs.',
  'test/package/site.spec.ts':
    'Builds the site of the manual. `pages.spec.ts` has the same links, without building.',
  'test/e2e/operations/doctor-command.spec.ts':
    'Starts the doctor as a process for each case. `doctor.spec.ts` has the steps, the report and what the doctor never prints.',
  'test/package/generated-clients.spec.ts':
    'Compiles all generated clients. `e2e/http/generated-clients.spec.ts` calls them and proves the page.',
  'test/package/extent.spec.ts': 'Starts vitest twice, and proves only what `npm run test:all` runs.',
  'test/e2e/operations/api-trouble.spec.ts':
    'Plays troubles of 10 s and more by each way out. `unit/http/api-report.spec.ts` has each rule, `failing.spec.ts` has the gauge.',
  'test/e2e/operations/breakages.spec.ts':
    'Plays each fault of a page. `failing.spec.ts`, `trouble-log.spec.ts` and `same-advice.spec.ts` have the lines of the log.',
  'test/e2e/operations/doctor-tls.spec.ts':
    'Starts servers that demand client certificates. `doctor.spec.ts` has the step.',
  'test/e2e/operations/readiness.spec.ts':
    'Waits for an outage to end. `unit/token/cached-token-provider-status.spec.ts` has the requests of a failing pair.',
  'test/e2e/own-provider/assertions.spec.ts':
    'Makes keys of every kind. `unit/secrets` has the assertions, `without-secret.spec.ts` sends some.',
  'test/e2e/own-provider/operations.spec.ts':
    'Boots an application for each of several definitions. `own-provider.spec.ts` has calls of the same.',
  'test/e2e/simulator/session-spec.spec.ts':
    'Runs each recorded session. `unit/cli/simulate/session-spec.spec.ts` has its lines.',
  'test/e2e/simulator/command.spec.ts':
    'Starts the simulator as a process for each case. `command-files.spec.ts` and `command-control.spec.ts` start it, too.',
  'test/e2e/token/load.spec.ts':
    'Up to 10,000 callers, and outages of seconds. `unit/token` has the same rules with an injected clock.',
  'test/fleet/sick-process.spec.ts':
    'Loses the packets of ten processes for seconds. `lease-holder.spec.ts` has one slow process.',
  'test/fleet/outage.spec.ts':
    'An outage of 5 s for 16 processes. `unit/token/fleet/outage-figures.spec.ts` has the same figures with an injected clock.',
  'test/fleet/accounts.spec.ts':
    'Starts a fleet for each way to get a token. `unit/token/accounts-interleavings.spec.ts` has accounts with a store.',
  'test/leak/plain-client.spec.ts':
    'Proves the search for leaks, not the library. `api-requests-by-axios.spec.ts` searches.',
  'test/unit/cli/simulate/live-updates.spec.ts':
    'An hour of calls, and pages that do not read. `live-updates-events.spec.ts` has pages that read.',
  'test/package/manual.spec.ts':
    'Compiles every block of the manual, and starts applications of it. `pages.spec.ts` and `settings-pages.spec.ts` read the pages.',
  'test/package/declarations.spec.ts':
    'Compiles an application in each way of module resolution. `tarball.spec.ts` checks the same with attw.',
  'test/package/installation.spec.ts': 'Starts npm and npx many times. `tarball.spec.ts` has what is packed.',
  'test/package/own-provider.spec.ts':
    'Compiles the applications of a page. `e2e/own-provider/own-provider.spec.ts` has the same definition.',
  'test/package/floors.spec.ts':
    'Plants a violation of each floor. `npm run check` proves that there is none.',
  'test/package/entries.spec.ts':
    'Loads each entry in its own process, in three ways. `tarball.spec.ts` has the files of each entry.',
  'test/package/bundled.spec.ts':
    'Bundles and starts two applications. `tarball.spec.ts` has the files that a bundler reads.',
  'test/package/good-neighbour.spec.ts':
    'Starts three processes, each with another order of imports. `e2e/http/foreign-axios.spec.ts` has an axios that others changed.',
  'test/e2e/module/closing.spec.ts':
    'Starts and ends processes. `closing-calls.spec.ts` has calls under way, `e2e/token/process.spec.ts` how a process ends.',
  'test/e2e/http/tracing.spec.ts':
    'Records the spans of calls in several ways. `e2e/operations/telemetry.spec.ts` has those of token requests.',
  'test/e2e/express/interceptors.spec.ts':
    'Random chains of interceptors. `unit/http/direct/interceptor-chain.spec.ts` has the cases.',
  'test/hostile/polluted-prototype.spec.ts':
    'Starts a process for each transport. `unit/config/polluted-options.spec.ts` and `unit/net/pollution.spec.ts` have the rule.',
  'test/leak/api-requests-by-undici.spec.ts':
    'The same searches by another transport. `api-requests-by-axios.spec.ts` has them, `e2e/undici/conformance.spec.ts` compares the transports.',
  'test/leak/heap.spec.ts':
    'Writes and reads a whole heap. `process.spec.ts` searches what a process shows, `in-flight.spec.ts` what a request holds.',
  'test/e2e/authorization-servers/oidc-provider.spec.ts':
    'Starts an authorization server for each case. `own-provider.spec.ts` in its folder uses the same server.',
  'test/leak/child-process.spec.ts':
    'Starts a process for each way to crash. `process.spec.ts` searches what one process shows.',
  'test/fleet/redis-trouble.spec.ts':
    'Stops and freezes Redis, and waits. `clients.spec.ts` restarts Redis, `client-states.spec.ts` has clients without it.',
  'test/e2e/express/same-result.spec.ts':
    'Sends 1,000 random pairs of calls by each transport. `fetch-same-result.spec.ts` has pairs of `fetch`, `fixed-differences.spec.ts` cases.',
  'test/package/samples.spec.ts': 'Builds and starts each sample as a reader does.',
};

/** What the tests on Windows leave out, each with its reason. No Redis server runs there, and the system lacks parts of POSIX. */
export const NOT_ON_WINDOWS: Readonly<Record<string, string>> = {
  'test/fleet/**': 'Each spec starts redis-server.',
  'test/package/**': 'The specs start npm and tar without a shell, and install packages through links.',
  'test/e2e/module/thaw.spec.ts': 'Windows cannot stop a process and continue it (SIGSTOP).',
  'test/e2e/module/closing.spec.ts': 'Windows has no SIGTERM: the process ends at once.',
  'test/e2e/simulator/command.spec.ts': 'Checks file modes, signals and a line for a POSIX shell.',
  'test/e2e/simulator/command-files.spec.ts': 'Checks file modes.',
  'test/e2e/simulator/command-provider.spec.ts': 'Checks file modes.',
  'test/unit/cli/simulate/own-files.spec.ts': 'Checks file modes and links.',
  'test/unit/cli/simulate/simulate.spec.ts': 'Checks file modes, POSIX paths and a line for a POSIX shell.',
  'test/unit/support/redis-program.spec.ts': 'Looks for programs by their execute permission.',
};

/**
 * `npm test` runs these specs on the default transport, and `npm run test:all` also on `undiciTransport()`. Both commands run
 * `test/e2e/undici/conformance.spec.ts`, which compares the two transports case by case.
 */
export const ALSO_ON_UNDICI = {
  e2e: ['test/e2e/http/*.spec.ts'],
  hostile: ['test/hostile/api-*.spec.ts'],
};

/**
 * `npm test` runs these specs with an adapter that sends all requests, and `npm run test:all` also with a direct sender, as the two
 * transports of the package have it: then ordinary requests pass the adapter by.
 */
export const ALSO_WITH_DIRECT_SENDER = [
  'test/unit/http/authorization-interceptor.spec.ts',
  'test/unit/http/authorized-request-*.spec.ts',
  'test/unit/http/provider-http-client.spec.ts',
  'test/unit/http/waiting-upload.spec.ts',
];

/** The lowest axios of our range; `package.json` has it as `axios-lowest`. */
export const LOWEST_AXIOS = '1.20.0';

/** `npm run test:all` also runs these specs on the lowest axios. */
export const ON_LOWEST_AXIOS = [
  'test/hostile/api-redirects.spec.ts',
  'test/hostile/api-addresses.spec.ts',
  'test/hostile/api-changed-requests.spec.ts',
  'test/hostile/api-detours.spec.ts',
  'test/e2e/http/redirects.spec.ts',
  'test/e2e/http/resolved-address.spec.ts',
  'test/e2e/tls/connections.spec.ts',
  'test/e2e/tls/proxies.spec.ts',
  'test/e2e/express/same-result.spec.ts',
  'test/e2e/express/fixed-differences.spec.ts',
  'test/e2e/express/interceptors.spec.ts',
  'test/e2e/http/direct-calls.spec.ts',
];

/** `npm test` runs these specs with ioredis 6, and `npm run test:all` also with each of these clients. */
export const ON_OTHER_CLIENTS = {
  clients: ['ioredis 5', 'iovalkey', 'node-redis 6', 'node-redis 5', 'node-redis 6, pool', 'a function'],
  specs: ['test/fleet/{entries,writers,redis-trouble,lease-holder}.spec.ts'],
};

/** `npm run test:all` also runs these specs with Valkey as the server. */
export const ON_VALKEY = ['test/fleet/{clients,entries,writers,redis-trouble,lease-holder}.spec.ts'];
