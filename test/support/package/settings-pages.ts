import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { type Catalogue, capitals } from '../../../lib/catalogue/catalogue.js';
import * as ofEnvironments from '../../../lib/config/options/environment-options.js';
import * as ofProviders from '../../../lib/config/options/provider-auth-options.js';
import { allVariables, settingAt, type Variable } from '../../../lib/config/process-env/variable-names.js';
import { declaredIn, type OptionsClass, type SettingTraits } from '../../../lib/config/setting.js';
import { ROOT } from './packed-package.js';

/** What the pages say about settings, made from the doc comments of the options classes. */

const SOURCES: Readonly<Record<string, object>> = {
  'environment-options': ofEnvironments,
  'provider-auth-options': ofProviders,
};

const HEAD = `# Every variable that providerAuthConfig reads. Copy this file to .env, which stays out of version control.
# If no variable of an interface or environment is set, the module leaves it out.
`;

/** A doc comment of a property: its first paragraph, what it says about the default, and the default. */
interface DocComment {
  readonly sentence: string;
  readonly byDefault: string | undefined;
  readonly value: unknown;
}

/** The doc comments of the properties of all exported classes. */
const COMMENTS: ReadonlyMap<SettingTraits | undefined, DocComment> = new Map(
  Object.entries(SOURCES).flatMap(([file, exported]) => {
    const path = join(ROOT, `lib/config/options/${file}.ts`);
    const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true);
    return source.statements.filter(ts.isClassDeclaration).flatMap(({ name: className, members }) => {
      const Class = Reflect.get(exported, className?.text ?? '') as OptionsClass | undefined;
      return members.filter(ts.isPropertyDeclaration).flatMap((property) => {
        if (Class === undefined) return [];
        const name = property.name.getText();
        const [comment] = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
        const [paragraph = ''] = (ts.getTextOfJSDocComment(comment?.comment) ?? '').split('\n\n');
        const tag = comment?.tags?.find(({ tagName }) => tagName.text === 'default');
        const doc = {
          sentence: paragraph.replaceAll(/\s+/g, ' '),
          byDefault: tag && ts.getTextOfJSDocComment(tag.comment),
          value: Reflect.get(new Class(), name) as unknown,
        };
        return [[declaredIn(Class).get(name), doc] as const];
      });
    });
  }),
);

export function commentOf(path: string): DocComment {
  return COMMENTS.get(settingAt(path)) ?? { sentence: '', byDefault: undefined, value: undefined };
}

/** The sentence of a setting, with what only the provider knows. */
export function sentenceOf({ environments, entryOf }: Catalogue, path: string): string {
  const { sentence } = commentOf(path);
  const more = (words: string): string => sentence.replace(/\.$/, words);
  const [scope, of = ''] = path.split('.');
  if (scope === 'environment' && of !== '') return 'Overrides the active environment for one interface.';
  if (scope === 'environment') return more(`: ${environments.map((name) => `\`${name}\``).join(' or ')}.`);
  return path.endsWith('.tokenUrl')
    ? more(`; its path ends in \`${entryOf(of).tokenPathExample}\`.`)
    : sentence;
}

interface DescribedVariable extends Variable {
  readonly sentence: string;
}

/** Every variable that a person can set, with its sentence. */
function variablesIn(catalogue: Catalogue): DescribedVariable[] {
  const variables = allVariables(catalogue).filter(({ need }) => need !== 'absent');
  return variables.map((variable) => {
    const sentence = sentenceOf(catalogue, variable.path);
    const again =
      variable.setting.file === 'secret' ? ' The module reads it again for each token request.' : '';
    const inFile = `A file that holds ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}${again}`;
    return { ...variable, sentence: variable.isFile ? inFile : sentence };
  });
}

/** The text of `.env.example`. A comment stands before the first variable that it describes. */
export function environmentFile(catalogue: Catalogue): string {
  const said = new Set<string>();
  let last = 'environment';
  const lines = variablesIn(catalogue).flatMap(({ name, sentence, isRequired, path }) => {
    const place = path.replace(/(\.tls)?\.\w+$/, '');
    const gap = place === last ? [] : [''];
    last = place;
    const comment = said.has(sentence) ? [] : [`# ${withoutMarkdown(sentence)}`];
    said.add(sentence);
    const value = name === `${capitals(catalogue.name)}_ENVIRONMENT` ? (catalogue.environments[0] ?? '') : '';
    return [...gap, ...comment, `${isRequired ? '' : '# '}${name}=${value}`];
  });
  return `${HEAD}\n${lines.join('\n')}\n`;
}

function withoutMarkdown(text: string): string {
  return text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1').replaceAll('`', '');
}

/** The variables of a setting as the pages write them: `PROVIDER_<IFACE>_<ENV>_CA_FILE`. */
export function patternsOf(
  catalogue: Catalogue,
): { pattern: string; sentence: string; setting: SettingTraits }[] {
  const all = variablesIn(catalogue).map((variable) => {
    const inEnvironments = catalogue.environments.reduce(
      (name, environment) => name.replace(`_${capitals(environment)}_`, '_<ENV>_'),
      variable.name,
    );
    const anywhere = catalogue.interfaces.reduce(
      (name, of) => name.replace(`_${capitals(of)}_`, '_<IFACE>_'),
      inEnvironments,
    );
    return { ...variable, inEnvironments, anywhere };
  });
  const rows = all.map(({ inEnvironments, anywhere, sentence, setting }) => {
    const same = all.filter((other) => other.anywhere === anywhere && other.sentence === sentence);
    const isEverywhere =
      new Set(same.map((other) => other.inEnvironments)).size === catalogue.interfaces.length;
    return { pattern: isEverywhere ? anywhere : inEnvironments, sentence, setting };
  });
  const order = allVariables(catalogue).map(({ setting }) => setting);
  return [...new Map(rows.map((one) => [one.pattern, one])).values()].toSorted(
    (one, other) => order.indexOf(one.setting) - order.indexOf(other.setting),
  );
}

/** A page with its table of variables written again, as `npm run check:format` expects it. */
export async function withVariables(page: string, catalogue: Catalogue): Promise<string> {
  const rows = patternsOf(catalogue).map(({ pattern, sentence }) => `| \`${pattern}\` | ${sentence} |`);
  const table = ['| variable | meaning |', '| --- | --- |', ...rows].join('\n');
  const written = page.replace(/^\| variable +\| meaning +\|\n(?:\|.*\n)+/m, () => `${table}\n`);
  return format(written, { parser: 'markdown', ...(await resolveConfig(join(ROOT, 'README.md'))) });
}
