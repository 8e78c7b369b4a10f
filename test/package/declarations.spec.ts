import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { packagesReachedFrom } from '../support/module-graph.js';
import { entries, optionalPeers, requiredPeers, ROOT } from '../support/packed-package.js';

describe.each(['import', 'default'] as const)('the declarations under `%s`', (reader) => {
  it('hold by themselves, with no declaration of any library skipped', { timeout: 240_000 }, () => {
    const program = ts.createProgram(
      entries.map(({ types }) => join(ROOT, types[reader])),
      {
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        lib: ['lib.es2023.d.ts'],
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        strict: true,
        skipLibCheck: false,
        noEmit: true,
      },
    );
    const found = ts.getPreEmitDiagnostics(program);
    expect(found.map(wording)).toEqual([]);
  });

  it.each(entries)('mention no library but peers: $subpath', async ({ subpath, types }) => {
    const mentioned = await packagesReachedFrom(join(ROOT, types[reader]));
    const allowed = subpath === '.' ? requiredPeers : [...requiredPeers, ...optionalPeers];
    expect(mentioned.filter((name) => !allowed.includes(name))).toEqual([]);
  });
});

function wording({ file, messageText }: ts.Diagnostic): string {
  return `${file?.fileName ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
}
