import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What this file uses of `@angular-devkit/schematics`, which the Nest CLI brings. So the package does not depend on it. */
export interface Tree {
  exists(path: string): boolean;
  read(path: string): Uint8Array | null;
  create(path: string, content: string): void;
  overwrite(path: string, content: string): void;
}

export interface Context {
  readonly logger: { info(message: string): void; warn(message: string): void };
  /** `path` is the folder of this file in the installed package. */
  readonly schematic: { readonly description: { readonly path: string } };
  addTask(task: { toConfiguration(): { name: string; options: object } }): unknown;
}

/** An import statement, and the module that it adds to the imports of the root module. */
type Addition = readonly [statement: string, module: string];

/** `nest add nestjs-provider-auth`: prepares an application for the built-in provider, or for a definition. */
export default function nestAdd({ provider = 'built-in', sourceRoot = 'src' }) {
  return (tree: Tree, context: Context): void => {
    const { logger, schematic } = context;
    const shipped = (path: string) =>
      readFileSync(join(schematic.description.path, '../../..', path), 'utf8');
    const rootModule = `${sourceRoot}/app.module.ts`;
    const source = textOf(tree, rootModule);
    const additions: Addition[] = [
      [`import { ConfigModule } from '@nestjs/config';`, 'ConfigModule.forRoot()'],
    ];
    if (provider === 'built-in') {
      additions.push([
        `import { ProviderAuthModule, providerAuthConfig } from 'nestjs-provider-auth';`,
        'ProviderAuthModule.forRootAsync(providerAuthConfig.asProvider())',
      ]);
      addLines(tree, '.env.example', shipped('.env.example'));
    } else {
      const definition = definitionOf(provider, shipped('docs/providers.md'));
      const file = `${provider.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.provider`;
      if (!tree.exists(`${sourceRoot}/${file}.ts`)) tree.create(`${sourceRoot}/${file}.ts`, definition);
      const extension = /from '\.\/[^']+\.js'/.test(source) ? '.js' : '';
      additions.push([
        `import { ${provider} } from './${file}${extension}';`,
        `${provider}.Module.forRootAsync(${provider}.config.asProvider())`,
      ]);
      addLines(tree, '.env.example', variablesOf(provider, definition));
      logger.info(`Check the definition in ${sourceRoot}/${file}.ts.`);
    }
    addLines(tree, '.gitignore', '.env\n.provider-simulator/');
    addPeers(tree, context, JSON.parse(shipped('package.json')) as Manifest);
    const missing = additions.filter(([, module]) => !source.includes(module.split('.forRoot')[0] ?? ''));
    const changed = withImports(source, missing);
    if (changed !== undefined) tree.overwrite(rootModule, changed);
    else
      logger.warn(
        `${rootModule} has no @Module({ … }) that this command can read. Add to your root module:\n\n` +
          `${missing.map(([statement]) => `${statement}\n`).join('')}\n` +
          `  imports: [${missing.map(([, module]) => module).join(', ')}],\n`,
      );
    logger.info('Copy .env.example to .env, and fill it in.');
    logger.info('The README of nestjs-provider-auth shows how to inject a client and call the API.');
  };
}

function textOf(tree: Tree, path: string): string {
  return new TextDecoder().decode(tree.read(path) ?? undefined);
}

const nameOf = (line: string) => line.split('=')[0];
const upperCase = (name = '') => name.replaceAll(/[A-Z]/g, '_$&').toUpperCase();

/** Adds the lines whose text before `=` the file does not have yet. */
function addLines(tree: Tree, path: string, lines: string): void {
  const before = textOf(tree, path);
  const present = before.split('\n').map(nameOf);
  const missing = lines.split('\n').filter((line) => line === '' || !present.includes(nameOf(line)));
  if (missing.every((line) => line === '')) return;
  const after = `${before.trimEnd()}\n\n${missing.join('\n').trim()}\n`.trimStart();
  if (tree.exists(path)) tree.overwrite(path, after);
  else tree.create(path, after);
}

/** The ready definition of the manual's page with this name, or a minimal one. */
function definitionOf(name: string, page: string): string {
  if (!/^[a-z][A-Za-z0-9]{0,39}$/.test(name))
    throw new Error(`"${name}" is no name of a definition. Use letters and digits, for example: partner`);
  const ready = [...page.matchAll(/^export const \w+ = (defineProvider\([^]*?^\}\);)$/gm)]
    .map(([, definition = '']) => definition)
    .find((definition) => definition.includes(`\n  name: '${name}',`));
  const minimal = `defineProvider({\n  name: '${name}',\n  environments: ['live'],\n  interfaces: { api: {} },\n});`;
  return `import { defineProvider } from 'nestjs-provider-auth';\n\nexport const ${name} = ${ready ?? minimal}\n`;
}

/** The variables of the first pair. If the definition needs others, the error at boot names them. */
function variablesOf(name: string, definition: string): string {
  const environment = /environments: \['(\w+)'/.exec(definition)?.[1];
  const pair = [name, /interfaces: \{\s+(\w+):/.exec(definition)?.[1], environment].map(upperCase).join('_');
  const credential = definition.includes('private_key_jwt') ? 'CLIENT_KEY_FILE' : 'CLIENT_SECRET';
  const lines = ['TOKEN_URL', 'BASE_URL', 'CLIENT_ID', credential].map((end) => `${pair}_${end}=`);
  return [`${upperCase(name)}_ENVIRONMENT=${environment}`, ...lines].join('\n');
}

/** Adds the peers that the application lacks, in the range for its NestJS, and has them installed. */
function addPeers(tree: Tree, context: Context, { peerDependencies, peerDependenciesMeta }: Manifest): void {
  const app = JSON.parse(textOf(tree, 'package.json')) as { dependencies?: Record<string, string> };
  const { dependencies = {} } = app;
  const needed = Object.entries(peerDependencies).filter(
    ([name]) => !(name in peerDependenciesMeta) && !(name in dependencies),
  );
  if (needed.length === 0) return;
  const isNest11 = /\d+/.exec(dependencies['@nestjs/core'] ?? '')?.[0] === '11';
  const peers = needed.map(([name, range]) => [name, range.split(' || ').at(isNest11 ? 0 : -1)] as const);
  const all = [...Object.entries(dependencies), ...peers].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const changed = { ...app, dependencies: Object.fromEntries(all) };
  tree.overwrite('package.json', `${JSON.stringify(changed, null, 2)}\n`);
  const lock = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'].find((file) => tree.exists(file));
  const options = { command: 'install', packageManager: lock?.split(/\W/)[0] };
  context.addTask({ toConfiguration: () => ({ name: 'node-package', options }) });
}

type Manifest = Readonly<Record<'peerDependencies' | 'peerDependenciesMeta', Record<string, string>>>;

/** The module with further imports, or nothing if its decorator has another form than `nest new` and prettier give it. */
function withImports(source: string, additions: readonly Addition[]): string | undefined {
  const [decorator = '', indent = ''] = /^@Module\(\{\n([ \t]+)[^]*?\n\}\)/m.exec(source) ?? [];
  const list = new RegExp(`\n${indent}imports:.*`).exec(decorator)?.[0];
  const isOther = list !== undefined && !list.includes('imports: [');
  if (isOther || decorator === '' || source.split('@Module(').length !== 2) return undefined;
  if (additions.length === 0) return source;
  const lines = additions.map(([, module]) => `\n${indent}${indent}${module},`).join('');
  const before = list?.endsWith('[') ? '' : list?.includes('[]') ? `\n${indent}` : `\n${indent}${indent}`;
  const changed =
    list === undefined
      ? decorator.replace('({', () => `({\n${indent}imports: [${lines}\n${indent}],`)
      : decorator.replace(list, () => list.replace('[', () => `[${lines}${before}`));
  const statements = additions.map(([statement]) => `${statement}\n`).join('');
  return source.replace(decorator, () => changed).replace(/^(?=import )/m, () => statements);
}
