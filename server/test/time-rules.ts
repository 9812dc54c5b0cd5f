// Rules about time in tests, checked in their source (STYLE.md): no test measures time or needs a fast machine. Used
// by tidy.test.ts.
import ts from 'typescript'

const MIN_LIMIT_MS = 5 * 60_000

interface TestFile {
  /** From the root of the repository. */
  path: string
  parse(): ts.SourceFile
}

export const isOfTests = ({ path }: { path: string }) =>
  /\.test\.ts$|^server\/test\/|^packages\/testing\/|test-service|\.testing\./.test(path)

/** Files that can read the clock of the machine, and why. */
export const MAY_READ_THE_CLOCK: Readonly<Record<string, string>> = {
  'packages/egress/src/patient.testing.ts': 'the limits of the egress guard are real',
  'packages/testing/src/patience.ts': 'the one limit against hanging',
  'server/test/jobs.ts': 'creates ids, which start with a date',
  'packages/testing/src/tls.ts': 'certificates are valid from a date to a date',
  'server/test/identity-providers.ts': 'the library checks the dates in a token by the real clock',
  'server/test/single-sign-on.slow.test.ts': 'the library checks the dates in a token by the real clock',
  'server/test/evidence-contract.ts': 'the file system uses the real clock for its dates',
  'server/src/domain/notification/signature.test.ts':
    'the library checks the date of a signature by the real clock',
}

/** Files that can pause for a fixed time, and why: no assertion depends on the end of a pause. */
export const MAY_PAUSE: Readonly<Record<string, string>> = {
  'server/test/database-restart.slow.test.ts': 'the pace of writers and probes',
  'server/test/shutdown.slow.test.ts': 'the pace of writers that are rejected',
}

const CLOCK = /^(performance\.now|Date\.now|process\.hrtime)$/
const LIMIT = /^(timeout(_ms)?|testTimeout|hookTimeout|teardownTimeout|(\w+_)?within_ms)$/
const LIMIT_CONSTANT = /(WITHIN|TIMEOUT|PATIENCE|DEADLINE)(_MS)?$/
const TAKES_A_LIMIT =
  /^(it|test|describe|beforeAll|beforeEach|afterAll|afterEach|onTestFinished|until|\w+\.setDefault(Navigation)?Timeout)\b/
const PAUSE = /^(sleep|pause|delay|setTimeout)$/

export function findTimeProblems(files: readonly TestFile[]): string[] {
  return files.flatMap(({ path, parse }) => {
    const tree = parse()
    const found: string[] = []
    const visit = (node: ts.Node): void => {
      const problem =
        findClockProblem(path, node) ??
        findLimitProblem(node) ??
        findConstantProblem(node) ??
        findPauseProblem(path, node)
      if (problem !== undefined) found.push(`${path}: ${problem}: ${node.getText(tree).slice(0, 80)}`)
      ts.forEachChild(node, visit)
    }
    visit(tree)
    return found
  })
}

function findClockProblem(path: string, node: ts.Node): string | undefined {
  if (!ts.isPropertyAccessExpression(node) || path in MAY_READ_THE_CLOCK) return undefined
  return CLOCK.test(node.getText()) ? 'measures time' : undefined
}

/** `{ timeout: 60_000 }` anywhere, and a number at the end of `it(…)`, `beforeAll(…)` or `until(…)`. */
function findLimitProblem(node: ts.Node): string | undefined {
  if (ts.isPropertyAssignment(node)) {
    return LIMIT.test(node.name.getText()) && isSmall(node.initializer) ? TOO_SHORT : undefined
  }
  if (!ts.isCallExpression(node) || !TAKES_A_LIMIT.test(node.expression.getText())) return undefined
  return node.arguments.some(isSmall) ? TOO_SHORT : undefined
}

function findConstantProblem(node: ts.Node): string | undefined {
  if (!ts.isVariableDeclaration(node) || !LIMIT_CONSTANT.test(node.name.getText())) return undefined
  return node.initializer && isSmall(node.initializer) ? TOO_SHORT : undefined
}

/** `sleep(1_500)` and `setTimeout(resolve, 200)`. A random pause picks a random time and waits for nothing. */
function findPauseProblem(path: string, node: ts.Node): string | undefined {
  if (!ts.isCallExpression(node) || !PAUSE.test(node.expression.getText()) || path in MAY_PAUSE)
    return undefined
  const last = node.arguments.at(-1)
  return last && ts.isNumericLiteral(last) ? 'pauses, which is too short somewhere' : undefined
}

const TOO_SHORT = 'has a limit below five minutes'

function isSmall(node: ts.Node): boolean {
  return ts.isNumericLiteral(node) && Number(node.text.replaceAll('_', '')) < MIN_LIMIT_MS
}
