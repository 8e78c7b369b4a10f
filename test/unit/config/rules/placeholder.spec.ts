import { describe, expect, it } from 'vitest';
import { isPlaceholder, isPlaceholderUrl } from '../../../../lib/config/rules/placeholder.js';

interface Kind {
  readonly of: string;
  /** Separated by spaces. `·` is a space inside a text. */
  readonly refused: string;
  /** Similar texts that are not placeholders. */
  readonly taken: string;
}

const CREDENTIALS: readonly Kind[] = [
  {
    of: 'templates',
    refused: '{id} {{id}} ${ID} {{·my.id-1·a_b·}} <id> <my·id-1.x> %ID% %my_id% [id] [my·id-x_y]',
    taken:
      'a{id} {id}a a<id> <id>a a%ID% %ID%a a[id] [id]a {} <> %% [] {a!} <a!> %1% [1] {{{a $id {{{id}}} $${id}',
  },
  {
    of: 'masks of one character',
    refused: '* *** ... ••• … ___ --- -',
    taken: '*. *a a* ..a 0 +++',
  },
  {
    of: 'the names in the document, in capitals',
    refused: 'CLIENT_ID CLIENT_SECRET ACCESS_TOKEN BASE_URL AUTH_URL TOKEN_URL',
    taken: 'client_id MY_CLIENT_ID CLIENT_IDS MY_BASE_URL TOKEN_URLS',
  },
  {
    of: 'requests to change the value',
    refused:
      'changeme change-me change·me changeMe CHANGE__ME change.me [change-me] -change-me- please-change-me change-me-please change-me-now replace-it set-this fill-in insert-here enter-here paste-here puthere replace-with-your-id fill-your insert-your-id enter-your-id paste-it-here put-x-here-y',
    taken:
      'changeme2 xchangeme reset-me change-you please-me change-me-later put-x-heretic replace-yours output-your-id',
  },
  {
    of: 'texts with your',
    refused:
      'your-id your-ids your-client-id your-secret your-api-key your-keys your-url your-credential your-credentials your-value your-password your-here your-id-here yourClientSecret YOUR_API_KEY',
    taken: 'my-your-id your-identity yourid your-token your-id-there your-idss',
  },
  {
    of: 'words for a missing value',
    refused:
      'placeholder example sample dummy todo to-do tbd TBD fixme fix-me redacted removed hidden undefined null none nan NaN n/a [object·Object]',
    taken: 'placeholders examples my-sample dummy1 todos tbds n-a nulls none1 object hidden-one',
  },
  {
    of: 'rows of x',
    refused: 'xxx XXXX xxx-x xxxx-xxxx-xx',
    taken: 'x xx xx-xxx xxx-y xxxy xxx-xy',
  },
];

const HOSTS: Kind = {
  of: 'hosts of examples',
  refused:
    'changeme change-me replaceme replace-me placeholder xxx xxxx your-host your-api-host your-domain your-tenant your-server your-provider your-company your-url your-name',
  taken: 'changeme2 xchange-me exchange-me placeholders xx xxxy your-bank my-your-host your-hosting yourhost',
};

const listed = (texts: string): string[] => texts.split(' ').map((text) => text.replaceAll('·', ' '));

const withHost = (hosts: string): string[] =>
  listed(hosts).flatMap((host) => [`https://${host}/v1`, `https://api.${host}.example`]);

const refusedAmong = (texts: readonly string[], isRefused: (text: string) => boolean): string[] =>
  texts.filter((text) => isRefused(text));

describe.each(CREDENTIALS)('C4: $of', ({ refused, taken }) => {
  it('are refused as credentials and as addresses', () => {
    expect(refusedAmong(listed(refused), isPlaceholder)).toEqual(listed(refused));
    expect(refusedAmong(listed(refused), isPlaceholderUrl)).toEqual(listed(refused));
  });

  it('are not confused with similar texts', () => {
    expect(refusedAmong(listed(taken), isPlaceholder)).toEqual([]);
  });
});

describe('C4: an address', () => {
  it('has no host of an example', () => {
    expect(refusedAmong(withHost(HOSTS.refused), isPlaceholderUrl)).toEqual(withHost(HOSTS.refused));
    expect(refusedAmong(withHost(HOSTS.taken), isPlaceholderUrl)).toEqual([]);
  });

  it('may be under a real domain that looks like an example', () => {
    const taken = listed('https://api.shop.xxx/v1 https://dedi1.your-server.de/v1');
    const refused = listed(
      'https://api.xxx.xxx/v1 https://api.xxxx/v1 https://xxx/v1 https://your-server.de/v1 https://your-server/v1',
    );
    expect(refusedAmong(taken, isPlaceholderUrl)).toEqual([]);
    expect(refusedAmong(refused, isPlaceholderUrl)).toEqual(refused);
  });

  it('has no template in it', () => {
    const refused = listed(
      'https://{host}/v1 https://a.example/{version} https://a.example/{my·v-1.x_y}/z https://a.example/{} https://<host>/ https://a.example/<my·v-1.x_y>/z https://a.example/<> https://%HOST%/ https://a.example/%API_PATH%/v1',
    );
    expect(refusedAmong(refused, isPlaceholderUrl)).toEqual(refused);
  });

  it('may have percent signs, encoded brackets, and words of placeholders in its path', () => {
    const taken = listed(
      'https://a.example/%C3%A4 https://a.example/%ABC%20 https://a.example/%7Bid%7D https://a.example/%abcd% https://a.example/placeholder https://a.example/{!} https://a.example/<!> a.example',
    );
    expect(refusedAmong(taken, isPlaceholderUrl)).toEqual([]);
  });
});
