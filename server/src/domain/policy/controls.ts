// Finds rules that require decisions on unknown controls, and reports them like other problems of a policy.
import { formatInput } from '../yaml/problems.ts'
import type { Policy } from './policy.ts'

/** One entry per rule, plus the text that existing clients look for; undefined if every control is known. */
export function findUnknownControls(
  policy: Policy,
  known: ReadonlySet<string>,
): Record<string, string> | undefined {
  const problems = policy.artifacts.attestations.flatMap(({ for_control }, at): [string, string][] => {
    if (for_control === null || known.has(for_control)) return []
    const shown = formatInput(for_control)
    const sentence = `Control '${shown}' does not exist [input: ${shown}]`
    return [[`policy.artifacts.attestations[${at}].for_control`, sentence]]
  })
  if (problems.length === 0) return undefined
  const lines = problems.map(([path, sentence]) => `${path}\n  ${sentence}`)
  const policy_file = [`${problems.length} validation errors for Policy`, ...lines].join('\n')
  return { ...Object.fromEntries(problems), policy_file }
}
