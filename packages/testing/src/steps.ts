// Counts a function's work in steps instead of time: every function call and every loop iteration is one
// step, in our code and in its libraries. The count is the same on every machine.
import { createRequire } from 'node:module'
import { runInThisContext } from 'node:vm'
import { build } from 'esbuild'
import ts from 'typescript'
import { PATIENCE_MS } from './patience.ts'

const COUNTER = '$steps'

export interface Counted<M> {
  module: M
  /** Rethrows errors of the work, and aborts work that never ends. */
  stepsOf(work: () => unknown): number
}

/** Loads a second copy of a module and all its imports, with a counter in every function and loop. */
export async function loadCounted<M>(url: URL): Promise<Counted<M>> {
  const { outputFiles } = await build({
    entryPoints: [url.pathname],
    bundle: true,
    platform: 'node',
    format: 'iife',
    globalName: 'counted',
    target: 'es2023',
    write: false,
  })
  const text = addCounter(outputFiles[0]?.text ?? '')
  const load = runInThisContext(`(require, ${COUNTER}) => { ${text}; return counted }`)
  const steps = { taken: 0 }
  const module = load(createRequire(import.meta.url), steps)
  return {
    module,
    stepsOf: work => {
      const before = steps.taken
      runWithTimeout(work)
      const taken = steps.taken - before
      if (taken === 0)
        throw new Error('The work did nothing that is counted: does it call the counted module?')
      return taken
    },
  }
}

const HOOK = Symbol.for('waybill.work')

/** Synchronous work blocks the event loop, so no other timeout could stop it. */
function runWithTimeout(work: () => unknown): void {
  Reflect.set(globalThis, HOOK, work)
  runInThisContext(`globalThis[Symbol.for('${HOOK.description}')]()`, { timeout: PATIENCE_MS })
}

function addCounter(text: string): string {
  const source = ts.createSourceFile('counted.js', text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS)
  const { transformed } = ts.transform(source, [
    context => root => ts.visitEachChild(root, countIn(context), context),
  ])
  return ts.createPrinter().printFile(transformed[0] as ts.SourceFile)
}

/** Adds the counter at the start of every function and every loop iteration. */
function countIn(context: ts.TransformationContext): (node: ts.Node) => ts.Node {
  const { factory } = context
  const step = () =>
    factory.createPostfixIncrement(
      factory.createPropertyAccessExpression(factory.createIdentifier(COUNTER), 'taken'),
    )
  const addStep = (body: ts.Statement) =>
    factory.createBlock([
      factory.createExpressionStatement(step()),
      ...(ts.isBlock(body) ? body.statements : [body]),
    ])
  const visit = (node: ts.Node): ts.Node => {
    const inner = ts.visitEachChild(node, visit, context)
    if (ts.isArrowFunction(inner) && !ts.isBlock(inner.body)) {
      const body = factory.createComma(step(), factory.createParenthesizedExpression(inner.body))
      return replacePart(inner, factory.createParenthesizedExpression(body))
    }
    if (isFunctionWithBlock(inner)) return replacePart(inner, addStep(inner.body))
    return ts.isIterationStatement(inner, false)
      ? replacePart(inner, addStep(inner.statement), 'statement')
      : inner
  }
  /** A copy of a node with one part replaced. */
  const replacePart = <N extends ts.Node>(node: N, part: ts.Node, name: 'body' | 'statement' = 'body'): N =>
    ts.visitEachChild(node, child => (child === Reflect.get(node, name) ? part : child), context)
  return visit
}

function isFunctionWithBlock(node: ts.Node): node is ts.FunctionLikeDeclaration & { body: ts.Block } {
  return (
    ts.isFunctionLike(node) && 'body' in node && node.body !== undefined && ts.isBlock(node.body as ts.Node)
  )
}
