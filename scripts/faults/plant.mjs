// Plants a fault in the text of a module: it finds a function, constant or property by name, so that a refactoring
// that keeps the name keeps the fault. A missing name is an error, never an unnoticed fault.
import ts from 'typescript'

/** Declares every statement; a fault in a statement is planted there, whichever file declares it. */
const STATEMENTS = 'server/src/db/statement.ts'

/** Returns the fault's file, and how to change its text; undefined for a fault in the database. */
export function getAlteration(fault) {
  const { file, statement } = fault
  if (statement !== undefined) {
    const begins = buildStatementFault(fault)
    return { file: STATEMENTS, alter: text => alterFunction(text, { function: 'defineStatement', begins }) }
  }
  if (file === undefined) return undefined
  const alter = fault.function === undefined ? alterValue : alterFunction
  return { file, alter: text => alter(text, fault) }
}

/** Makes a condition true wherever it occurs in the statement, or removes a clause. */
function buildStatementFault({ statement, ignores, without }) {
  const words = (ignores ?? without).trim().split(/\s+/)
  const pattern = words.map(word => word.replaceAll(/[^\w\s]/g, String.raw`\$&`)).join(String.raw`\s+`)
  const replacement = ignores === undefined ? '' : '($& or true)'
  return `if (name === ${JSON.stringify(statement)}) {
    const planted = sql.replaceAll(new RegExp(${JSON.stringify(pattern)}, 'g'), ${JSON.stringify(replacement)})
    if (planted === sql) throw new Error('The statement no longer contains: ' + ${JSON.stringify(words.join(' '))})
    sql = planted
  }`
}

function alterFunction(text, { function: name, begins, skips }) {
  const source = parse(text)
  const { body } = findOne(source, `the function ${name}`, node => isFunctionNamed(node, name, source))
  const edits = [...(begins === undefined ? [] : insertAtStart(body, begins, source))]
  for (const callee of [skips ?? []].flat()) {
    const calls = findAll(
      body,
      node => ts.isCallExpression(node) && node.expression.getText(source) === callee,
    )
    if (calls.length === 0) throw new Error(`${name} no longer calls ${callee}`)
    edits.push(...calls.map(call => ({ from: call.getStart(source), to: call.end, by: 'undefined' })))
  }
  return applyEdits(text, edits)
}

function alterValue(text, { constant, property, becomes }) {
  const source = parse(text)
  const name = constant ?? property
  const isDeclared = constant === undefined ? ts.isPropertyAssignment : ts.isVariableDeclaration
  const kind = constant === undefined ? 'property' : 'constant'
  const { initializer } = findOne(
    source,
    `the ${kind} ${name}`,
    node => isDeclared(node) && node.name.getText(source) === name,
  )
  return applyEdits(text, [{ from: initializer.getStart(source), to: initializer.end, by: becomes }])
}

function parse(text) {
  return ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest, true)
}

/** A declaration, a method, or an arrow function in a constant or a property. */
function isFunctionNamed(node, name, source) {
  if (!ts.isFunctionLike(node) || !node.body) return false
  return (node.name ?? node.parent.name)?.getText(source) === name
}

function insertAtStart(body, code, source) {
  if (ts.isBlock(body))
    return [{ from: body.getStart(source) + 1, to: body.getStart(source) + 1, by: ` ${code};` }]
  const start = body.getStart(source)
  return [
    { from: start, to: start, by: `{ ${code}; return ` },
    { from: body.end, to: body.end, by: ' }' },
  ]
}

function findOne(source, what, matches) {
  const found = findAll(source, matches)
  if (found.length === 1) return found[0]
  throw new Error(`${what} occurs ${found.length} times`)
}

function findAll(node, matches) {
  const inner = []
  ts.forEachChild(node, child => {
    inner.push(...findAll(child, matches))
  })
  return matches(node) ? [node, ...inner] : inner
}

function applyEdits(text, edits) {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((planted, { from, to, by }) => planted.slice(0, from) + by + planted.slice(to), text)
}
