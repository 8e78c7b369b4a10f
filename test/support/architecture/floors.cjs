/**
 * Each folder of `lib` is a floor: it imports only from the floors before it in this list. A violation names both files.
 * The entries (redis, undici, …) come after all floors. No entry imports another entry, except that the command `simulate` uses
 * the simulator of `testing`.
 */
const FLOORS = [
  'values',
  'catalogue',
  'time',
  'logging',
  'net',
  'errors',
  'secrets',
  'events',
  'config',
  'wire',
  'token',
  'http',
  'module',
];

const ENTRIES = ['redis', 'undici', 'terminus', 'opentelemetry', 'testing', 'cli', 'schematics'];

/** What an entry imports from other entries, if anything. */
const USES = { cli: ['testing'] };

const folder = (name) => `^lib/${name}/`;
const anyOf = (names) => `^lib/(${names.join('|')})/`;
const MAIN = '^lib/[^/]+\\.ts$';

const floors = FLOORS.map((name, level) => ({
  name: `floor-${name}`,
  comment: `lib/${name} imports only from ${FLOORS.slice(0, level).join(', ') || 'nothing else in lib'}`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: '^lib/', pathNot: anyOf(FLOORS.slice(0, level + 1)) },
}));

const entries = ENTRIES.map((name) => ({
  name: `entry-${name}`,
  comment: `lib/${name} is an entry and imports ${USES[name] ?? 'no other entry'}`,
  severity: 'error',
  from: { path: folder(name) },
  to: { path: anyOf(ENTRIES.filter((other) => other !== name && !USES[name]?.includes(other))) },
}));

/**
 * The wings: subfolders of a floor. `uses` names what a wing imports from the rest of its floor. `entrances` names the files
 * of the wing that the rest of the floor imports. Without `entrances`, the rest of the floor may import every file.
 */
const ALL_OF = '[^/]+';
const WINGS = {
  'config/rules': { why: 'a rule checks a single value', uses: [] },
  'config/options': {
    why: 'a property says what a setting is, and not who reads it',
    uses: ['setting', `rules/${ALL_OF}`],
  },
  'config/process-env': {
    why: 'variables are read before the options are validated',
    uses: ['setting', `options/${ALL_OF}`, `rules/${ALL_OF}`],
  },
  'token/endpoint': {
    why: 'one token request needs no knowledge of caches, retries or fleets',
    uses: [],
    entrances: ['token-endpoint', 'token-failures'],
  },
  'token/fleet': {
    why: 'a fleet gives a token or a turn to ask, and its outage is part of the outage of the process',
    uses: ['token-need', 'token-origins', 'outage', 'pauses'],
    entrances: ['fleet', 'guarded-store'],
  },
  'http/axios': {
    why: 'the face of axios knows the call and the engine, and not what the engine does with a refusal',
    uses: ['call', 'engine'],
    entrances: ['compared-axios', 'interceptor', 'others', 'short-way'],
  },
  'http/fetch': {
    why: 'it only translates: a fetch to a config, and the result of the engine to a response',
    uses: ['call'],
    entrances: ['provider-fetch'],
  },
};

const filesOf = (place, names) => `^lib/${place}/(${names.join('|')})\\.ts$`;

const wings = Object.entries(WINGS).flatMap(([wing, { why, uses, entrances }]) => {
  const floor = wing.split('/')[0];
  const rules = [
    {
      name: `wing-${wing}`,
      comment: `lib/${wing} imports from lib/${floor} only ${uses.join(', ') || 'its own files'}: ${why}`,
      severity: 'error',
      from: { path: folder(wing) },
      to: { path: folder(floor), pathNot: [folder(wing), filesOf(floor, uses)] },
    },
  ];
  if (entrances === undefined) return rules;
  return [
    ...rules,
    {
      name: `entrance-${wing}`,
      comment: `the other files of lib/${floor} import from lib/${wing} only ${entrances.join(', ')}`,
      severity: 'error',
      from: { path: folder(floor), pathNot: Object.keys(WINGS).map(folder) },
      to: { path: folder(wing), pathNot: filesOf(wing, entrances) },
    },
  ];
});

module.exports = {
  forbidden: [
    ...floors,
    ...wings,
    ...entries,
    {
      name: 'main-entry',
      comment: 'the main entry imports no optional entry',
      severity: 'error',
      from: { path: MAIN },
      to: { path: anyOf(ENTRIES) },
    },
    {
      name: 'index-alone',
      comment: 'at the root of lib there is only index.ts (B30)',
      severity: 'error',
      from: { path: MAIN, pathNot: '^lib/index\\.ts$' },
      to: {},
    },
    {
      name: 'one-public-index',
      comment: 'lib/index.ts is for users: no file of lib imports it',
      severity: 'error',
      from: { path: anyOf(FLOORS) },
      to: { path: '^lib/index\\.ts$' },
    },
    {
      name: 'catalogue-is-an-argument',
      comment:
        'the floors and the entries work for any provider (B24): of the built-in one, they know only the types with the names ' +
        'that users write, and the classes of its HTTP clients import those',
      severity: 'error',
      from: { path: anyOf(FLOORS), pathNot: '^lib/module/built-in\\.ts$' },
      to: { path: '^lib/catalogue/provider-catalogue\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'built-in-provider-is-an-argument',
      comment:
        'only the index of the package, and the entries that use it by default, name the built-in provider',
      severity: 'error',
      from: {
        path: '^lib/',
        pathNot: ['^lib/index\\.ts$', '^lib/cli/program\\.ts$', '^lib/testing/any-provider\\.ts$'],
      },
      to: { path: '^lib/module/built-in\\.ts$' },
    },
    { name: 'no-circles', severity: 'error', from: { path: '^lib/' }, to: { circular: true } },
    {
      name: 'no-orphans',
      comment: 'a file that no other file imports is unused, or missing in an index',
      severity: 'error',
      from: { path: '^lib/', pathNot: '^lib/(cli/simulate/page|schematics)/', orphan: true },
      to: {},
    },
    {
      name: 'every-folder-is-a-floor',
      comment: 'a new folder of lib needs a place in the list of floors',
      severity: 'error',
      from: { path: '^lib/[^/]+/', pathNot: anyOf([...FLOORS, ...ENTRIES]) },
      to: {},
    },
    {
      name: 'every-wing-is-listed',
      comment: 'a new folder of a floor with wings needs a place in the list of wings',
      severity: 'error',
      from: {
        path: Object.keys(WINGS).map((wing) => `^lib/${wing.split('/')[0]}/[^/]+/`),
        pathNot: Object.keys(WINGS).map(folder),
      },
      to: {},
    },
    {
      name: 'validators-stay-in-config',
      severity: 'error',
      from: { path: '^lib/', pathNot: folder('config') },
      to: { path: 'node_modules/(class-validator|class-transformer)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'default'] },
  },
};
