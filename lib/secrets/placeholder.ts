import { parsedUrl } from '../net/parsed-url.js';

/** Templates and markers: `{auth_url_easy}`, `{{id}}`, `${ID}`, `<CLIENT_ID>`, `%ID%`, `[secret]`. A generated secret does not look like this. */
const TEMPLATE = /^(\$?\{{1,2}[\w .-]+\}{1,2}|<[\w .-]+>|%[A-Za-z_]+%|\[[A-Za-z _-]+\])$/;

/** The same inside a URL, in forms that no correct URL contains. */
const TEMPLATE_IN_URL = /\{[\w .-]*\}|<[\w .-]*>|%[A-Z_]{4,}%/;

/** Words that examples contain instead of a value. The whole text is compared, in lower case, with `-` between words. */
const EXAMPLE_WORDS = new RegExp(
  `^(${[
    '(please-)?(change|replace|fill|set|insert|enter|paste|put)-?(me|it|this|in|here)(-please|-now)?',
    '(replace|fill|insert|enter|paste|put)-.*(your|here)(-.*)?',
    'your-(.*-)?(id|secret|key|url|credentials?|value|password|here)s?(-here)?',
    'placeholder|example|sample|dummy|to-?do|tbd|fix-?me|redacted|removed|hidden',
    'undefined|null|none|na-?n|n/a|object-object',
    'x{3,}(-x+)*',
  ].join('|')})$`,
);

/** The names of the values in the provider's document. Only in capitals, because `client-id` may be a real client id. */
const DOCUMENTED_NAMES = /^(CLIENT_ID|CLIENT_SECRET|ACCESS_TOKEN|BASE_URL|AUTH_URL|TOKEN_URL)$/;

/** Masked values: `***`, `...`, `---`. */
const MASK = /^([*.•…_-])\1*$/;

/** Hosts of examples: `https://your-host/oauth/token`, `https://changeme/…`. */
const EXAMPLE_HOST =
  /^((change|replace)-?me|placeholder|x{3,}|your-[a-z-]*(host|domain|tenant|server|provider|company|url|name))$/;

/** `xxx` is a top-level domain, and Hetzner's servers have names under `your-server.de`. */
const REAL_DOMAIN = /\.(xxx|your-server\.de)$/;

/** Whether a credential is the placeholder of an example or a template. Real secrets look random and never match. */
export function isPlaceholder(text: string): boolean {
  return (
    TEMPLATE.test(text) || MASK.test(text) || DOCUMENTED_NAMES.test(text) || EXAMPLE_WORDS.test(asWords(text))
  );
}

/** Whether a URL, or a part of it, is the placeholder of an example or a template. */
export function isPlaceholderUrl(text: string): boolean {
  return (
    isPlaceholder(text) ||
    TEMPLATE_IN_URL.test(text) ||
    (parsedUrl(text)?.hostname ?? '')
      .replace(REAL_DOMAIN, '')
      .split('.')
      .some((label) => EXAMPLE_HOST.test(label))
  );
}

function asWords(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[\s_.[\]-]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}
