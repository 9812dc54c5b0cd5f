// What is said when it is not known whether something is compliant, and the exit code of `assert`: only a "no" is 4. The
// caller decides whether an unknown verdict passes.
import type { Schemas } from '../api-types.ts'
import { formatState } from '../print/table.ts'
import type { Exit } from '../program/exit-codes.ts'
import { textOr } from '../program/flags.ts'

export type Verdict = 'yes' | 'no' | 'unknown'

export const UNKNOWN_FLAG = {
  unknown: textOr('what an unknown verdict is: a pass (0), a failure (4), or its own code', '8', {
    choices: ['pass', 'fail', '8'],
  }),
} as const

const EXITS: Record<Verdict, Exit> = { yes: 'done', no: 'no', unknown: 'unknown' }

export function chooseExit(verdict: Verdict, unknown: string): Exit {
  if (verdict !== 'unknown' || unknown === '8') return EXITS[verdict]
  return unknown === 'pass' ? 'done' : 'no'
}

/** The state of an environment or snapshot in a table: `UNKNOWN (no policies)`. */
export function describeState({
  state,
  is_stale,
  unknown_because,
}: Pick<Schemas['Environment'], 'state' | 'is_stale' | 'unknown_because'>): string {
  if (unknown_because) return `UNKNOWN (${unknown_because.replaceAll('-', ' ')})`
  return `${formatState(state)}${is_stale ? ' (stale)' : ''}`
}
