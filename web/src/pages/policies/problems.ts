// Parses the errors of the server about a policy or a template into lines and columns.

export interface Problem {
  line: number
  column: number
  message: string
}

/** Fields that repeat all errors as one text. */
const SUMMARIES = ['policy_file', 'template_file']
const POSITION = /^line (\d+), column (\d+): ([\s\S]*)$/
const INPUT = / \[input: [\s\S]*\]$/

export function parseProblems(errors: Record<string, unknown>): Problem[] {
  return Object.entries(errors)
    .filter(([field]) => !SUMMARIES.includes(field))
    .map(([field, text]) => parseProblem(field, String(text)))
    .sort((a, b) => a.line - b.line || a.column - b.column)
}

function parseProblem(field: string, text: string): Problem {
  const [, line = '1', column = '1', found = text] = POSITION.exec(text) ?? []
  const path = field.replace(/^(policy|template)\.?/, '')
  const sentence = found.replace(INPUT, '')
  return {
    line: Number(line),
    column: Number(column),
    message: path === '' ? sentence : `${path}: ${sentence}`,
  }
}
