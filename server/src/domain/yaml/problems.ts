// How a refused YAML file is told to the client: one entry per field for people and editors, and one multi-line
// text that existing clients look for in the answer of a PUT.

// What differs between the kinds of file that are read: how they are called, and how much of them is read.
export interface FileKind {
  // Field paths start with this word.
  root: string
  title: string
  // The multi-line text is stored under this key.
  file_key: string
  max_tokens: number
}

export interface Problem {
  path: string
  line: number
  column: number
  sentence: string
  // What the multi-line text says instead: one sentence for each branch of a union that the value did not fit.
  branches?: string[]
  input: string
}

const MAX_INPUT_CHARACTERS = 100
// Every problem is counted; beyond this many they are not spelled out, so that the answer stays readable.
const MAX_LISTED = 1_000

export function buildErrors(kind: FileKind, problems: Problem[]): Record<string, string> {
  const byField = new Map<string, string[]>()
  for (const problem of problems.slice(0, MAX_LISTED)) {
    const text = `line ${problem.line}, column ${problem.column}: ${problem.sentence} [input: ${problem.input}]`
    byField.set(problem.path, [...(byField.get(problem.path) ?? []), text])
  }
  const errors = [...byField].map(([path, text]): [string, string] => [path, text.join('; ')])
  return Object.fromEntries([...errors, [kind.file_key, summarizeProblems(kind, problems)]])
}

// Terminals print these texts, so control characters, invisible ones and halves of surrogate pairs go.
export function formatInput(text: string): string {
  const clean = text.slice(0, 4 * MAX_INPUT_CHARACTERS).replace(/[\p{C}\s]+/gu, ' ')
  return [...clean].slice(0, MAX_INPUT_CHARACTERS).join('')
}

function summarizeProblems(kind: FileKind, problems: Problem[]): string {
  const lines = problems.flatMap(({ path, sentence, branches, input }) =>
    (branches ?? [sentence]).map(text => `${path}\n  ${text} [input: ${input}]`),
  )
  const listed = lines.slice(0, MAX_LISTED)
  const rest = lines.length > MAX_LISTED ? [`and ${lines.length - MAX_LISTED} more`] : []
  return [`${lines.length} validation errors for ${kind.title}`, ...listed, ...rest].join('\n')
}
