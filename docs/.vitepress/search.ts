/**
 * Words that readers search for, by the page that answers them. A page gets the words that its text does not have, and comes
 * first for all of them.
 */
const WORDS: Readonly<Record<string, string>> = {
  accounts: 'multi tenant tenants tenancy',
  alerts: 'logging logs alerting loki',
  certificates: 'mtls mutual tls',
  compatibility: 'install installation windows macos powershell',
  configuration: 'staging production',
  doctor: 'debug debugging troubleshooting',
  fleet: 'redis valkey cluster',
  operations: 'health metrics monitoring opentelemetry tracing shutdown',
  'own-provider': 'second another multiple custom',
  performance: 'benchmark benchmarks speed',
  providers: 'auth0 keycloak okta cognito entra azure salesforce paypal',
  requests: 'retry retries 401 unauthorized',
  secrets: 'vault rotation rotate',
  security: 'redact redaction leak leaks masking',
  simulate: 'docker simulator mockserver',
  testing: 'jest vitest mock mocking nock',
  transport: 'http2 undici',
  'without-a-secret': 'kubernetes k8s workload federation',
};

const PAGES = Object.fromEntries(
  Object.entries(WORDS).flatMap(([page, words]) => words.split(' ').map((word) => [word, page] as const)),
);

/** The HTML of a page for the index, with these words below its title. */
export function withSearchWords(relativePath: string, html: string): string {
  const words = WORDS[relativePath.replace('.md', '')];
  return words === undefined ? html : html.replace('</h1>', `</h1><p>${words}</p>`);
}

/**
 * How much a result counts: the name of an option is in the manual and in the API reference, and the manual explains more. The
 * browser gets the text of this function, so the words are part of it.
 */
export const boostDocument = new Function(
  'id',
  'term',
  'stored',
  `const pages = ${JSON.stringify(PAGES)};
  if (id.includes('/api/')) return 0.3;
  const isTop = stored.titles.length === 0;
  return isTop && id.split('#')[0].endsWith('/' + pages[term] + '.html') ? 8 : 1;`,
) as (id: string, term: string) => number;
