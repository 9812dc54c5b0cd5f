// Chooses the exit code of `assert`: only a "no" is 4. The caller decides whether an unknown verdict passes.
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
