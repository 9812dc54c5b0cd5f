// Finds in a test file's source which operations it requests. A part of a path that is only known at run time is `*`:
// it matches any text whose words occur in the strings of the file.
import ts from 'typescript'
import type { Contract } from '../src/api/operation.ts'

export interface TestSource {
  requests: { method: string; path: string }[]
  /** All parts between slashes in the strings of the file. */
  words: ReadonlySet<string>
  numbers: ReadonlySet<number>
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete']
/** Methods of clients whose first argument is the HTTP method. */
const CALLS = ['call', 'form', 'send']
const UNKNOWN = '*'
/** Names that refer to each other more often than this are a cycle. */
const MAX_DEPTH = 8

type Values = Map<string, ts.Expression[]>

export function readTestSource(text: string): TestSource {
  const tree = ts.createSourceFile('x.test.ts', text, ts.ScriptTarget.ES2023)
  const nodes = listNodes(tree)
  const values = collectValues(nodes)
  const paths = nodes
    .filter(node => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    .flatMap(node => render(node, values))
    .filter(path => path.startsWith('/'))
  const requests = nodes.flatMap(readCall).flatMap(({ method, path }) => {
    const sent = render(path, values)
    return (sent.includes(UNKNOWN) ? [...sent, ...paths] : sent)
      .filter(one => one.startsWith('/'))
      .map(one => ({ method, path: one.replace(/\?.*$/s, '').replace(/^\/api\/v2/, '') }))
  })
  const strings = nodes.filter(
    node => ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node as ts.Token<ts.SyntaxKind>),
  ) as ts.LiteralLikeNode[]
  return {
    requests,
    words: new Set(strings.flatMap(node => node.text.split(/[/?\s]/))),
    numbers: new Set(nodes.filter(ts.isNumericLiteral).map(node => Number(node.text))),
  }
}

export function isRequested(contract: Pick<Contract, 'method' | 'path'>, source: TestSource): boolean {
  const template = contract.path.split('/')
  return source.requests.some(
    ({ method, path }) => method === contract.method && isMatch(template, path.split('/'), source.words),
  )
}

function isMatch(template: string[], sent: string[], words: ReadonlySet<string>): boolean {
  const [expected, ...rest] = template
  const [segment, ...others] = sent
  if (expected === undefined || segment === undefined) return expected === segment
  const isOpen = segment.includes(UNKNOWN)
  const isParameter = expected.startsWith('{')
  if (isParameter ? segment === '' : segment !== expected && !(isOpen && words.has(expected))) return false
  if (isMatch(rest, others, words)) return true
  // The unknown text may contain slashes; `{name+}` takes the rest of the path.
  return (
    (isOpen && isMatch(rest, sent, words)) || (expected.endsWith('+}') && isMatch(template, others, words))
  )
}

function listNodes(root: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    nodes.push(node)
    ts.forEachChild(node, visit)
  }
  visit(root)
  return nodes
}

function readCall(node: ts.Node): { method: string; path: ts.Expression }[] {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
  const name = node.expression.name.text
  const [first, second] = node.arguments
  if (first && METHODS.includes(name)) return [{ method: name.toUpperCase(), path: first }]
  if (!first || !second || !CALLS.includes(name)) return []
  return ts.isStringLiteral(first) ? [{ method: first.text, path: second }] : []
}

/** The values of all variables, and of functions that consist of one expression. */
function collectValues(nodes: ts.Node[]): Values {
  const values: Values = new Map()
  for (const node of nodes) {
    if (!ts.isVariableDeclaration(node) || !ts.isIdentifier(node.name) || !node.initializer) continue
    const { initializer, name } = node
    const value = ts.isArrowFunction(initializer) ? initializer.body : initializer
    if (!ts.isBlock(value)) values.set(name.text, [...(values.get(name.text) ?? []), value])
  }
  return values
}

/** All texts that an expression can have: variables with the same name in several tests are separate. */
function render(node: ts.Node, values: Values, depth = 0): string[] {
  const renderPart = (part: ts.Node) => render(part, values, depth + 1)
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node)) {
    return node.templateSpans.reduce(
      (heads, { expression, literal }) =>
        heads.flatMap(head => renderPart(expression).map(middle => `${head}${middle}${literal.text}`)),
      [node.head.text],
    )
  }
  const name = ts.isCallExpression(node) ? node.expression : node
  const found = ts.isIdentifier(name) && depth < MAX_DEPTH ? values.get(name.text) : undefined
  return found ? [...new Set(found.flatMap(renderPart))] : [UNKNOWN]
}
