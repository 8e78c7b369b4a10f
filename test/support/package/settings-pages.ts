import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { type Catalogue, capitals } from '../../../lib/catalogue/catalogue.js';
import { type PlacedSetting, variableSettingsOf } from '../../../lib/config/process-env/variable-names.js';
import type { Setting } from '../../../lib/config/table/setting.js';
import { SETTINGS } from '../../../lib/config/table/settings.js';
import { ROOT } from './packed-package.js';

/** What the pages say about settings, made from the table in `lib/config/table/settings.ts`. */

const HEAD = `# Every variable that providerAuthConfig reads. Copy this file to .env, which stays out of version control.
# If no variable of an interface or environment is set, the module leaves it out.
`;

interface Variable {
  readonly name: string;
  readonly sentence: string;
  readonly isRequired: boolean;
  readonly place: readonly string[];
  readonly setting: Setting;
}

/** Every variable, with its sentence. */
function variablesIn(catalogue: Catalogue): Variable[] {
  return variableSettingsOf(catalogue).flatMap((placed) => {
    const { setting, variable, fileVariable, need, path } = placed;
    const [scope, ...place] = path.split('.');
    const isOfInterfaces = scope === 'interfaces';
    const own = {
      name: variable,
      sentence: sentenceOf(catalogue, placed),
      isRequired: need === 'required',
      place: isOfInterfaces ? place.slice(0, place.length > 2 ? 2 : 1) : [],
      setting,
    };
    const file = {
      ...own,
      name: fileVariable ?? '',
      sentence: setting.fileSentence ?? '',
      isRequired: false,
    };
    return fileVariable === undefined ? [own] : [own, file];
  });
}

function sentenceOf(catalogue: Catalogue, { setting, path, need }: PlacedSetting): string {
  const [scope, of] = path.split('.');
  // The variable that overrides the environment has the row of the environment, and is never required.
  if (setting === SETTINGS.options.environment && need !== 'required')
    return 'Overrides the active environment for one interface.';
  return textOf(setting, catalogue, scope === 'interfaces' ? of : undefined);
}

export function textOf({ sentence = '' }: Setting, catalogue: Catalogue, of?: string): string {
  return typeof sentence === 'string' ? sentence : sentence({ catalogue, ...(of && { interface: of }) });
}

/** The text of `.env.example`. A comment stands before the first variable that it describes. */
export function environmentFile(catalogue: Catalogue): string {
  const said = new Set<string>();
  let last = '';
  const lines = variablesIn(catalogue).flatMap(({ name, sentence, isRequired, place }) => {
    const gap = place.join() === last ? [] : [''];
    last = place.join();
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

/** The variables of a setting as the pages write them: `PROVIDER_<IFACE>_<ENV>_CA_FILE`. In the order of the table. */
export function patternsOf(catalogue: Catalogue): { pattern: string; sentence: string; setting: Setting }[] {
  const order: Setting[] = Object.values(SETTINGS).flatMap((rows) => Object.values<Setting>(rows));
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
