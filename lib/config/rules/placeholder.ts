import { parsedUrl } from '../../net/parsed-url.js';

/** Templates and markers: `{auth_url_easy}`, `{{id}}`, `${ID}`, `<CLIENT_ID>`, `%ID%`, `[secret]`. A generated secret has no such shape. */
const TEMPLATE = /^(\$?\{{1,2}[\w .-]+\}{1,2}|<[\w .-]+>|%[A-Za-z_]+%|\[[A-Za-z _-]+\])$/;

/** The same inside a longer text, where a URL could never hold it. */
const TEMPLATE_IN_URL = /\{[\w .-]*\}|<[\w .-]*>|%[A-Z_]{4,}%/;

/** What stands in examples in place of a value; compared with the whole text, as words in lower case joined by `-`. */
const STAND_IN = new RegExp(
  `^(${[
    '(please-)?(change|replace|fill|set|insert|enter|paste|put)-?(me|it|this|in|here)(-please|-now)?',
    '(replace|fill|insert|enter|paste|put)-.*(your|here)(-.*)?',
    'your-(.*-)?(id|secret|key|url|credentials?|value|password|here)s?(-here)?',
    'placeholder|example|sample|dummy|to-?do|tbd|fix-?me|redacted|removed|hidden',
    'undefined|null|none|na-?n|n/a|object-object',
    'x{3,}(-x+)*',
  ].join('|')})$`,
);

/** The document's own names for the values. Only in capitals: `client-id` may well be somebody's client id. */
const DOCUMENTED_NAMES = /^(CLIENT_ID|CLIENT_SECRET|ACCESS_TOKEN|BASE_URL|AUTH_URL|TOKEN_URL)$/;

/** What a mask leaves behind: `***`, `...`, `[redacted]`. */
const MASK = /^([*.•…_-])\1*$/;

/** Hosts that nobody has: `https://your-host/oauth/token`, `https://changeme/…`. */
const STAND_IN_HOST =
  /^((change|replace)-?me|placeholder|x{3,}|your-[a-z-]*(host|domain|tenant|server|provider|company|url|name))$/;

/** Whether a credential is the text that an example or a template holds in its place. Right secrets look random and never match. */
export function isPlaceholder(text: string): boolean {
  return (
    TEMPLATE.test(text) || MASK.test(text) || DOCUMENTED_NAMES.test(text) || STAND_IN.test(asWords(text))
  );
}

/** Whether a URL, or a part of it, was left as an example or a template has it. */
export function isPlaceholderUrl(text: string): boolean {
  return (
    isPlaceholder(text) ||
    TEMPLATE_IN_URL.test(text) ||
    hostOf(text)
      .split('.')
      .some((label) => STAND_IN_HOST.test(label))
  );
}

function asWords(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[\s_.[\]-]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function hostOf(text: string): string {
  return parsedUrl(text)?.hostname ?? '';
}
