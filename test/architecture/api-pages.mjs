/**
 * A plugin of TypeDoc for the API reference. It names each entry of the package as an application imports it, for example
 * `nestjs-provider-auth/redis` instead of `redis`, and describes the entry in one line. A parameter that the code takes apart
 * has no name, so the plugin calls the parameter as its type: `storeClaim` for a `StoreClaim`.
 */
import { readFileSync } from 'node:fs';
import { Comment, Converter, ReflectionKind } from 'typedoc';

const { name } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

const ENTRIES = {
  index: 'The module, its options, the clients, the token providers and the errors.',
  opentelemetry: 'Metrics and spans of token requests.',
  redis: 'Shares tokens between processes through Redis.',
  terminus: 'A health indicator.',
  testing: 'The simulated provider, and a module for tests without a network.',
  undici: 'A faster transport.',
};

export function load({ converter }) {
  converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    for (const entry of project.children) {
      if (!(entry.name in ENTRIES)) throw new Error(`Describe the entry ${entry.name} in api-pages.mjs.`);
      entry.comment = new Comment([{ kind: 'text', text: ENTRIES[entry.name] }]);
      entry.name = entry.name === 'index' ? name : `${name}/${entry.name}`;
    }
    for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
      if (parameter.name !== '__namedParameters') continue;
      const type = parameter.type?.name ?? 'Options';
      parameter.name = type[0].toLowerCase() + type.slice(1);
    }
  });
}
