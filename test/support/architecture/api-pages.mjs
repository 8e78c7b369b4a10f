/**
 * A plugin of TypeDoc for the API reference. It names each entry of the package as an application imports it, for example
 * `nestjs-provider-auth/redis` instead of `redis`, and describes the entry in one line. The page of the main entry begins with
 * the names that most applications use. A parameter that the code takes apart has no name, so the plugin calls the parameter as
 * its type: `storeClaim` for a `StoreClaim`. Numbers of rules stay in the code.
 */
import { readFileSync } from 'node:fs';
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc';
import { withoutRuleNumbers } from './rule-numbers.mjs';

const { name } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

const ENTRIES = {
  index: 'The module, its options, the clients, the token providers and the errors.',
  opentelemetry: 'Metrics and spans of token requests.',
  redis: 'Shares tokens between processes through Redis.',
  terminus: 'A health indicator.',
  testing: 'The simulated provider, and a module for tests without a network.',
  undici: 'A faster transport.',
};

/** The names that most applications use, the first ones first. */
const MOST_USED = [
  'ProviderAuthModule',
  'defineProvider',
  'EasyHttpService',
  'OriginationsHttpService',
  'providerAuthConfig',
  'ProviderAuthOptions',
  'ProviderFetch',
  'TokenProvider',
  'ProviderAuthService',
  'TokenRequestError',
];

/** A block that the page shows as a section: a list of links, each with the first sentence about its target. */
function mostUsed({ children }) {
  const content = MOST_USED.flatMap((used) => {
    const target = children.find((child) => child.name === used);
    if (target === undefined) throw new Error(`The main entry does not export ${used}.`);
    const about = target.comment ?? target.signatures?.[0]?.comment;
    const text = Comment.combineDisplayParts(about?.summary ?? []).replaceAll('\n', ' ');
    return [
      { kind: 'text', text: '- ' },
      { kind: 'inline-tag', tag: '@link', text: used, target },
      { kind: 'text', text: `: ${/^.*?\.(?= |$)/.exec(text)?.[0] ?? text}\n` },
    ];
  });
  return new CommentTag('@mostUsed', content);
}

function withoutNumbers({ comment }) {
  for (const part of comment?.summary ?? []) part.text = withoutRuleNumbers(part.text);
  for (const { content } of comment?.blockTags ?? [])
    for (const part of content) part.text = withoutRuleNumbers(part.text);
}

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const reflection of Object.values(project.reflections)) withoutNumbers(reflection);
    for (const entry of project.children) {
      if (!(entry.name in ENTRIES)) throw new Error(`Describe the entry ${entry.name} in api-pages.mjs.`);
      entry.comment = new Comment([{ kind: 'text', text: ENTRIES[entry.name] }]);
      if (entry.name === 'index') entry.comment.blockTags.push(mostUsed(entry));
      entry.name = entry.name === 'index' ? name : `${name}/${entry.name}`;
    }
    for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
      if (parameter.name !== '__namedParameters') continue;
      const type = parameter.type?.name ?? 'Options';
      parameter.name = type[0].toLowerCase() + type.slice(1);
    }
  });
}
