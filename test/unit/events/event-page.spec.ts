import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';

const source = ts.createSourceFile(
  'events.ts',
  readFileSync('lib/events/provider-auth-events.ts', 'utf8'),
  ts.ScriptTarget.ES2023,
  true,
);
const interfaces = new Map(
  source.statements.filter(ts.isInterfaceDeclaration).map((one) => [one.name.text, one] as const),
);

/** The members of an event type, `?` behind those that may be missing. */
function membersOf(name: string): string[] {
  const declared = interfaces.get(name);
  const base = declared?.heritageClauses?.[0]?.types[0]?.expression.getText();
  const own = [...(declared?.members ?? [])].filter(ts.isPropertySignature).map((member) => {
    return `${member.name.getText()}${member.questionToken ? '?' : ''}`;
  });
  return [...(base === 'ProviderEvent' ? ['interface', 'environment'] : []), ...own];
}

/** The event type of each channel. */
const types = [...(interfaces.get('ProviderAuthEvents')?.members ?? [])]
  .filter(ts.isPropertySignature)
  .map((member) => {
    const type = member.type && ts.isTypeReferenceNode(member.type) ? member.type.typeName.getText() : '';
    return [member.name.getText().replaceAll("'", ''), type] as const;
  });

it('B26: the page about operations lists each channel with the members of its event', () => {
  const page = readFileSync('docs/operations.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(provider-auth:[\w-]+)` +\|[^|]+\| ([^|]+)\|$/gm)].map(
    ([, channel, payload = '']) => {
      // Values stand behind a member: `state` = `failing`, `recovered`.
      const members = payload.replaceAll(/ = `\w+`(, `\w+`)*(?=, `\w+\?|$)/g, '');
      return [channel, [...members.matchAll(/`([\w?]+)`/g)].map(([, member]) => member)];
    },
  );
  expect(types).toHaveLength(5);
  expect(rows).toEqual(types.map(([channel, type]) => [channel, membersOf(type)]));
});
