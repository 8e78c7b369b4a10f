import type { MarkdownRenderer } from 'vitepress';

/** Blocks of shell commands. On the site, blocks that install packages get tabs. In the package, the pages stay plain. */
const SHELL_BLOCK = /^```sh\n((?:(?!```).*\n)+?)```$/gm;

/** The two commands of the pages about installation, with what is between them. */
const BOTH_MAJORS =
  /^```sh\n(npm install nestjs-provider-auth .+)\n```\n\n(?:<!-- end -->\n\n)?[^\n]*(?:\n[^\n]+)*:\n\n<!-- case: install-11 -->\n\n```sh\n(npm install .+)\n```$/gm;

const MANAGERS: Readonly<Record<string, (command: string) => string>> = {
  npm: (command) => command,
  pnpm: (command) =>
    command
      .replace(/^npm install/, 'pnpm add')
      .replace(/^npx /, 'pnpm dlx ')
      .replace(/^pnpm dlx nestjs-/, 'pnpm exec nestjs-'),
  yarn: (command) =>
    command
      .replace(/^npm install --save-dev/, 'yarn add --dev')
      .replace(/^npm install/, 'yarn add')
      .replace(/^npx /, 'yarn dlx ')
      .replace(/^yarn dlx nestjs-/, 'yarn nestjs-'),
  bun: (command) =>
    command
      .replace(/^npm install --save-dev/, 'bun add --dev')
      .replace(/^npm install/, 'bun add')
      .replace(/^npx /, 'bunx '),
};

/** Tabs for npm, pnpm, yarn and Bun, and one for NestJS 11 where the page has a command for it. */
function tabsOf(commands: string, forNest11?: string): string {
  const tabs = Object.entries(MANAGERS).map(
    ([name, written]) => `\`\`\`sh [${name}]\n${commands.split('\n').map(written).join('\n')}\n\`\`\``,
  );
  if (forNest11 !== undefined) tabs.push(`\`\`\`sh [NestJS 11]\n${forNest11}\n\`\`\``);
  return `::: code-group\n\n${tabs.join('\n\n')}\n\n:::`;
}

function withTabs(source: string): string {
  return source
    .replaceAll(BOTH_MAJORS, (_, command: string, forNest11: string) => tabsOf(command, forNest11))
    .replaceAll(SHELL_BLOCK, (block, commands: string) =>
      commands.startsWith('npm install ') || commands.includes('\nnpm install ')
        ? tabsOf(commands.trimEnd())
        : block,
    );
}

const PICTURE = /<picture>\n(?:(?!<\/picture>)[^])*<\/picture>/g;
const DARK_SOURCE = /<source media="(?:([^"]+) and )?\(prefers-color-scheme: dark\)" srcset="([^"]+)">\n/g;

/** The switch of the site changes no media query. So the site has such a picture twice, and shows one of them (`style.css`). */
function withPictureOfEachScheme(source: string): string {
  return source.replaceAll(PICTURE, (both) => {
    const picture = both.replace('<img ', '<img loading="lazy" ');
    const light = picture.replaceAll(DARK_SOURCE, '');
    const [, darkFile = ''] = /"\(prefers-color-scheme: dark\)" srcset="([^"]+)"/.exec(picture) ?? [];
    const dark = picture
      .replaceAll(DARK_SOURCE, (_, condition: string | undefined, file: string) =>
        condition === undefined ? '' : `<source media="${condition}" srcset="${file}">\n`,
      )
      .replace(/ src="[^"]+"/, ` src="${darkFile}"`);
    const [forLight, forDark] = [light, dark].map((html, index) =>
      html.replace('<picture>', `<picture class="${index === 0 ? 'light' : 'dark'}-only">`),
    );
    return `${forLight}\n${forDark}`;
  });
}

/**
 * On a phone, a row of a table is a block, and each cell shows the heading of its column (`style.css`). Such a block is no
 * table for a screen reader, unless the roles say so.
 */
function describeTables(md: MarkdownRenderer): void {
  const ROLES: Readonly<Record<string, string>> = {
    thead_open: 'rowgroup',
    tbody_open: 'rowgroup',
    tr_open: 'row',
    th_open: 'columnheader',
    td_open: 'cell',
  };
  md.core.ruler.push('tables', ({ tokens }) => {
    let heads: string[] = [];
    let column = 0;
    for (const [index, token] of tokens.entries()) {
      const role = ROLES[token.type];
      if (role !== undefined) token.attrSet('role', role);
      if (token.type === 'thead_open') heads = [];
      if (token.type === 'tr_open') column = 0;
      if (token.type === 'th_open') heads.push(textOf(tokens[index + 1]?.children ?? []));
      if (token.type !== 'td_open') continue;
      const head = heads[column] ?? '';
      if (head !== '') token.attrSet('data-label', head);
      column += 1;
    }
  });
  // VitePress has a rule that ignores attributes. Its tabindex lets the keyboard scroll a wide table.
  md.renderer.rules['table_open'] = () => '<table tabindex="0" role="table">\n';
}

/** Names in code that fit on the line of a phone are not broken at their hyphens (`style.css`). */
const SHORT_NAME = /^\S{1,30}$/;

function keepNames(md: MarkdownRenderer): void {
  md.core.ruler.push('names', ({ tokens }) => {
    for (const part of tokens.flatMap(({ children }) => children ?? []))
      if (part.type === 'code_inline' && SHORT_NAME.test(part.content)) part.attrJoin('class', 'short');
  });
}

function textOf(parts: readonly { readonly content: string }[]): string {
  return parts.map(({ content }) => content).join('');
}

export function extend(md: MarkdownRenderer): void {
  md.core.ruler.before('normalize', 'tabs', (state) => {
    state.src = withPictureOfEachScheme(withTabs(state.src));
  });
  describeTables(md);
  keepNames(md);
}
