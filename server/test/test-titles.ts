// Reads the titles of the tests in a file from its source, so that documents can name tests without running them.
import ts from 'typescript'
import { TITLE_SEPARATOR } from '../../scripts/doc-tests.mjs'

/** Titles that are built at run time are returned as written, including `%s`, `$name` and `${name}`. */
export function readTitles(path: string, text: string): string[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS)
  const found: string[] = []
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const named = ts.isCallExpression(node) ? readCall(node) : undefined
    if (named?.kind === 'test') found.push([...groups, named.title].join(TITLE_SEPARATOR))
    const inside = named?.kind === 'group' ? [...groups, named.title] : groups
    ts.forEachChild(node, child => visit(child, inside))
  }
  visit(tree, [])
  return found
}

function readCall(call: ts.CallExpression): { kind: 'group' | 'test'; title: string } | undefined {
  const title = call.arguments[0]
  if (!title || call.arguments.length < 2) return undefined
  const kind = getKind(call.expression)
  const text = readTitle(title)
  return kind && text !== undefined ? { kind, title: text } : undefined
}

/** `it(…)`, `it.each(…)(…)` and `it.for(…)(…)`, and the same for `test` and `describe`. */
function getKind(callee: ts.Expression): 'group' | 'test' | undefined {
  if (ts.isIdentifier(callee)) {
    if (callee.text === 'describe') return 'group'
    return callee.text === 'it' || callee.text === 'test' ? 'test' : undefined
  }
  if (ts.isCallExpression(callee) || ts.isPropertyAccessExpression(callee)) return getKind(callee.expression)
  if (ts.isTaggedTemplateExpression(callee)) return getKind(callee.tag)
  return undefined
}

function readTitle(title: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(title)) return title.text
  return ts.isTemplateExpression(title) ? title.getText().slice(1, -1) : undefined
}
