import { parsedUrl } from '../net/parsed-url.js';

/** Templates: `{auth_url_easy}`, `{{id}}`, `${ID}`, `<CLIENT_ID>`. A generated secret does not look like this. */
const TEMPLATE = /^(\$?\{{1,2}[\w .-]+\}{1,2}|<[\w .-]+>)$/;

/** The same inside a URL, in forms that no correct URL contains. */
const TEMPLATE_IN_URL = /\{[\w .-]*\}|<[\w .-]*>/;

/** What examples contain in place of a value, and what code writes into a text in place of a missing or hidden value. */
const EXAMPLE =
  /^(change-?me|x{3,}|your-(.*-)?(id|secret|key|url|credentials?|value|password|here)s?(-here)?|undefined|null|\[redacted\])$/;

/** The names of the values in the provider's document. Only in capitals, because `client-id` may be a real client id. */
const DOCUMENTED_NAME = /^CLIENT_(ID|SECRET)$/;

/** What pages write in place of a value: `…`, `...`, `***`. */
const MASK = /^([*.…])\1*$/;

/** Hosts of examples: `https://your-host/oauth/token`, `https://changeme/…`, `https://…/v1`. */
const EXAMPLE_HOST = /^(change-?me|your-[a-z-]*(host|domain|tenant|provider|company|url|name))$/;
const NO_HOST = /^https?:\/\/…/;

/** Whether a credential is the placeholder of an example or a template. Real secrets look random and never match. */
export function isPlaceholder(text: string): boolean {
  return [TEMPLATE, MASK, DOCUMENTED_NAME].some((form) => form.test(text)) || EXAMPLE.test(asWords(text));
}

/** Whether a URL, or a part of it, is the placeholder of an example or a template. */
export function isPlaceholderUrl(text: string): boolean {
  const labels = (parsedUrl(text)?.hostname ?? '').split('.');
  return (
    isPlaceholder(text) ||
    TEMPLATE_IN_URL.test(text) ||
    NO_HOST.test(text) ||
    labels.some((one) => EXAMPLE_HOST.test(one))
  );
}

/** `YOUR_CLIENT_ID`, `your client id` and `yourClientId` are `your-client-id`. */
function asWords(text: string): string {
  return text
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '-');
}
