// Finds state that a module keeps. Whatever changes while the program runs belongs to the application, which app.ts
// creates and hands down: two applications in one process must not share it.
import ts from 'typescript'

const CHANGING_METHODS = new Set([
  ...['set', 'add', 'delete', 'clear'],
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill'],
])
/** Their instances change only by the methods above, if at all. */
const PLAIN_CLASSES = new Set(['Map', 'Set', 'RegExp', 'Date'])

/** The names of top-level variables that are state. */
export function findModuleState(tree: ts.SourceFile): string[] {
  const declared = tree.statements.filter(ts.isVariableStatement)
  const state = new Set(declared.flatMap(statement => listStateful(statement.declarationList)))
  const names = new Set(declared.flatMap(statement => listNames(statement.declarationList)))
  const visit = (node: ts.Node): void => {
    const changed = getChanged(node)
    if (changed && names.has(changed)) state.add(changed)
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...state]
}

function listNames({ declarations }: ts.VariableDeclarationList): string[] {
  return declarations.map(({ name }) => name.getText())
}

/** Variables that can be reassigned, and instances of mutable classes. */
function listStateful(list: ts.VariableDeclarationList): string[] {
  if (!(list.flags & ts.NodeFlags.Const)) return listNames(list)
  return list.declarations
    .filter(
      ({ initializer }) =>
        initializer &&
        ts.isNewExpression(initializer) &&
        !PLAIN_CLASSES.has(initializer.expression.getText()),
    )
    .map(({ name }) => name.getText())
}

/** The variable that a node changes: `x.set(…)`, `x.key = …` or `x[key] = …`. */
function getChanged(node: ts.Node): string | undefined {
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    return CHANGING_METHODS.has(name.text) ? expression.getText() : undefined
  }
  if (!ts.isBinaryExpression(node) || !isAssignment(node.operatorToken.kind)) return undefined
  const { left } = node
  // The position where a regular expression searches next is set before every search.
  if (ts.isPropertyAccessExpression(left) && left.name.text === 'lastIndex') return undefined
  const isMember = ts.isPropertyAccessExpression(left) || ts.isElementAccessExpression(left)
  return isMember ? left.expression.getText() : undefined
}

function isAssignment(kind: ts.SyntaxKind): boolean {
  return kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment
}
