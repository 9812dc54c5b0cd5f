// Formats the errors of a rejected YAML file: one entry per field for people and editors, and one multi-line text
// that existing clients look for in the response to a PUT.

// Differences between the kinds of files: their names and their size limit.
export interface FileKind {
  // Field paths start with this word.
  root: string
  title: string
  // The multi-line text is returned under this key.
  file_key: string
  max_tokens: number
}

export interface Problem {
  path: string
  line: number
  column: number
  sentence: string
  // Replaces the sentence in the multi-line text: one sentence for each branch of a union that the value did not
  // match.
  branches?: string[]
  input: string
}

const MAX_INPUT_CHARACTERS = 100
// Further problems are counted but not listed, so that the response stays readable.
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

// Terminals print these texts, so control characters, invisible characters and lone surrogates are removed.
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
