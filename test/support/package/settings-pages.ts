import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { type Catalogue, capitals } from '../../../lib/catalogue/catalogue.js';
import {
  type PlacedSetting,
  placedSettings,
  variableSettingsOf,
} from '../../../lib/config/process-env/variable-names.js';
import { ROOT } from './packed-package.js';

/** What the pages say about settings, made from the doc comments of the options classes. */

const SOURCES = ['environment-options', 'provider-auth-options'].map(
  (name) => `lib/config/options/${name}.ts`,
);

const HEAD = `# Every variable that providerAuthConfig reads. Copy this file to .env, which stays out of version control.
# If no variable of an interface or environment is set, the module leaves it out.
`;

/** A doc comment of a property: its first paragraph, and what it says about the default. */
interface DocComment {
  readonly sentence: string;
  readonly byDefault: string | undefined;
}

/** The doc comments of all properties, by `TokenOptions.timeoutMs`. */
const COMMENTS: ReadonlyMap<string, DocComment> = new Map(
  SOURCES.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true);
    return source.statements.filter(ts.isClassDeclaration).flatMap((owner) =>
      owner.members.filter(ts.isPropertyDeclaration).flatMap((property) => {
        const [comment] = ts.getJSDocCommentsAndTags(property).filter(ts.isJSDoc);
        const [paragraph = ''] = (ts.getTextOfJSDocComment(comment?.comment) ?? '').split('\n\n');
        const tag = comment?.tags?.find(({ tagName }) => tagName.text === 'default');
        return [
          [
            `${owner.name?.text}.${property.name.getText()}`,
            {
              sentence: paragraph.replaceAll(/\s+/g, ' '),
              byDefault: tag && ts.getTextOfJSDocComment(tag.comment),
            },
          ] as const,
        ];
      }),
    );
  }),
);

/** `TokenOptions.timeoutMs` */
export function nameOf({ owner, member }: PlacedSetting): string {
  return `${owner.name}.${member}`;
}

export function commentOf(setting: PlacedSetting): DocComment {
  return COMMENTS.get(nameOf(setting)) ?? { sentence: '', byDefault: undefined };
}

/** The setting at a path. */
export function settingAt(catalogue: Catalogue, path: string): PlacedSetting {
  const setting = placedSettings(catalogue).find((one) => one.path === path);
  if (setting === undefined) throw new Error(`There is no setting ${path}.`);
  return setting;
}

/** The sentence of a setting, with what only the provider knows. */
export function sentenceOf(catalogue: Catalogue, setting: PlacedSetting): string {
  const { path, member } = setting;
  const { sentence } = commentOf(setting);
  const more = (words: string): string => sentence.replace(/\.$/, words);
  const [scope, of = ''] = path.split('.');
  if (scope === 'environment' && of !== '') return 'Overrides the active environment for one interface.';
  if (scope === 'environment')
    return more(`: ${catalogue.environments.map((name) => `\`${name}\``).join(' or ')}.`);
  return member === 'tokenUrl'
    ? more(`; its path ends in \`${catalogue.entryOf(of).tokenPathExample}\`.`)
    : sentence;
}

interface Variable {
  readonly name: string;
  readonly sentence: string;
  readonly isRequired: boolean;
  readonly place: string;
  readonly setting: PlacedSetting;
}

/** Every variable, with its sentence. */
function variablesIn(catalogue: Catalogue): Variable[] {
  return variableSettingsOf(catalogue).flatMap((setting) => {
    const { variable, fileVariable, need, path } = setting;
    if (need === 'absent') return [];
    const sentence = sentenceOf(catalogue, setting);
    const again =
      setting.setting.file === 'secret' ? ' The module reads it again for each token request.' : '';
    const inFile = `A file that holds ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}${again}`;
    const common = { place: path.replace(/(\.tls)?\.\w+$/, ''), setting };
    const isOnlyInFile = setting.setting.variable === undefined;
    const own = {
      ...common,
      name: variable,
      isRequired: need === 'required',
      sentence: isOnlyInFile ? inFile : sentence,
    };
    const ofFile = fileVariable && { ...common, name: fileVariable, isRequired: false, sentence: inFile };
    return ofFile ? [own, ofFile] : [own];
  });
}

/** The text of `.env.example`. A comment stands before the first variable that it describes. */
export function environmentFile(catalogue: Catalogue): string {
  const said = new Set<string>();
  let last = 'environment';
  const lines = variablesIn(catalogue).flatMap(({ name, sentence, isRequired, place }) => {
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
): { pattern: string; sentence: string; setting: PlacedSetting }[] {
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
  const order = [...new Set(placedSettings(catalogue).map(nameOf))];
  return [...new Map(rows.map((one) => [one.pattern, one])).values()].toSorted(
    (one, other) => order.indexOf(nameOf(one.setting)) - order.indexOf(nameOf(other.setting)),
  );
}

/** A page with its table of variables written again, as `npm run check:format` expects it. */
export async function withVariables(page: string, catalogue: Catalogue): Promise<string> {
  const rows = patternsOf(catalogue).map(({ pattern, sentence }) => `| \`${pattern}\` | ${sentence} |`);
  const table = ['| variable | meaning |', '| --- | --- |', ...rows].join('\n');
  const written = page.replace(/^\| variable +\| meaning +\|\n(?:\|.*\n)+/m, () => `${table}\n`);
  return format(written, { parser: 'markdown', ...(await resolveConfig(join(ROOT, 'README.md'))) });
}
