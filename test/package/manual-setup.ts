import { afterAll, beforeAll } from 'vitest';
import type { ProviderSimulator } from '../../lib/testing/index.js';
import type { CodeBlock } from '../support/package/code-blocks.js';
import { ManualApp } from '../support/package/manual-app.js';
import { blocksOfManual, describedOptions } from '../support/package/manual-pages.js';
import { temporaryDirectory } from '../support/package/packed-package.js';

/** The blocks of the manual, and an application that is made of them. */
export class Manual {
  readonly #byName: ReadonlyMap<string | undefined, CodeBlock>;
  #app: ManualApp | undefined;

  private constructor(readonly blocks: readonly CodeBlock[]) {
    this.#byName = new Map(blocks.map((block) => [block.name, block]));
  }

  /** Compiles the application before the first test of this file, and removes it after the last test. */
  static async forThisFile(): Promise<Manual> {
    const manual = new Manual(await blocksOfManual());
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
    beforeAll(async () => {
      directory = await temporaryDirectory();
      const code = manual.blocks.flatMap(({ name, language, text }) =>
        language === 'ts' && name !== undefined ? [[name, text] as const] : [],
      );
      const examples = (await describedOptions()).map(({ example = '' }) => `  { ${example} },`);
      const blocks = new Map([...code, ['option-examples', examples.join('\n')] as const]);
      const app = await ManualApp.make(directory.path, blocks);
      const { output } = await app.compile();
      if (output !== '') throw new Error(`The manual does not compile:\n${output}`);
      manual.#app = app;
    }, 240_000);
    afterAll(() => directory.remove());
    return manual;
  }

  get app(): ManualApp {
    if (this.#app === undefined) throw new Error('The application is made before the first test.');
    return this.#app;
  }

  /** The text of a block. The name of a test starts with the names of its blocks. */
  shown(name: string): string {
    const block = this.#byName.get(name);
    if (block === undefined) throw new Error(`The manual has no block ${name}.`);
    return block.text;
  }
}

/** Removes all variables of the provider. */
export function without(provider: ProviderSimulator): Record<string, undefined> {
  return Object.fromEntries(Object.keys(provider.env()).map((name) => [name, undefined]));
}
