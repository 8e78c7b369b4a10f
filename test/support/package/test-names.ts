import { readFile } from 'node:fs/promises';
import ts from 'typescript';

const NAMED = new Set(['describe', 'it', 'test']);

/** The names of the tests and groups in a file. Reads only names that are texts in the call. */
export async function testNamesIn(file: string): Promise<string[]> {
  const source = ts.createSourceFile(file, await readFile(file, 'utf8'), ts.ScriptTarget.Latest);
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && NAMED.has(calledBy(node.expression))) {
      const [name] = node.arguments;
      if (name !== undefined && isText(name)) names.push(textOf(name));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return names;
}

/** `it` for `it(…)`, `it.each(…)(…)` and the like. */
function calledBy(expression: ts.Expression): string {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression) || ts.isPropertyAccessExpression(expression))
    return calledBy(expression.expression);
  return '';
}

function isText(node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
}

function textOf(node: ts.StringLiteralLike | ts.TemplateExpression): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}
