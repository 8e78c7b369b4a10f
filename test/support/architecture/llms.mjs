/**
 * Writes `llms.txt`, the list of all pages, and `llms-full.txt`, the text of all pages. The build runs this file, and the
 * package contains both texts. The form is that of https://llmstxt.org.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const ROOT = new URL('../../..', import.meta.url);
const textOf = (page) => readFileSync(new URL(page, ROOT), 'utf8');
const titleOf = (text) => /^# (.+)$/m.exec(text)[1];

/** The first sentence below the title. */
function summaryOf(text) {
  const [, paragraph = ''] = text.slice(text.indexOf('# ')).split('\n\n');
  const plain = paragraph.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return /^.*?\.(?= |$)/.exec(plain)?.[0] ?? '';
}

const docs = readdirSync(new URL('docs/', ROOT)).filter(
  (name) => name.endsWith('.md') && name !== 'index.md',
);
const pages = ['README.md', ...docs.toSorted().map((name) => `docs/${name}`)];

const list = pages.map((page) => {
  const text = textOf(page);
  return `- [${titleOf(text)}](${page}): ${summaryOf(text)}`;
});
const { name, description } = JSON.parse(textOf('package.json'));
writeFileSync(new URL('llms.txt', ROOT), `# ${name}\n\n> ${description}\n\n## Pages\n\n${list.join('\n')}\n`);

const hidden = /^ *<!-- case: \S+ -->\n\n/gm;
const full = pages.map((page) => `<!-- ${page} -->\n\n${textOf(page).replaceAll(hidden, '')}`);
writeFileSync(new URL('llms-full.txt', ROOT), full.join('\n'));
