// Missing bodies: a later leaf must record the erasure of each. The leaf itself stays forever.
import type { Leaf } from '../domain/log/leaf.ts'
import type { CheckedBody } from './bodies.ts'
import type { Findings } from './findings.ts'

const ERASED = 'body_erased'

export interface Erasures {
  look(leaf: Leaf, body: CheckedBody | undefined): void
  finish(): void
}

/** Without bodies, nothing counts as missing. */
export function makeErasures(origin: string, with_bodies: boolean, findings: Findings): Erasures {
  /** The events whose bodies are missing, by the numbers of their leaves. */
  const missing = new Map<number, string>()
  /** The erasure of each body. */
  const erased = new Map<number, { by: number; event: unknown }>()
  return {
    look: (leaf, body) => {
      if (!body && with_bodies) missing.set(leaf.index, leaf.event)
      if (leaf.kind !== ERASED || !body) return
      const { index, event, epoch } = body.data
      // A reopened log also records erasures in the log before it.
      if (epoch !== undefined && !origin.endsWith(`/${epoch}`)) return
      if (Number.isSafeInteger(index) && Number(index) >= 0 && Number(index) < leaf.index)
        erased.set(Number(index), { by: leaf.index, event })
      else
        findings.add(
          'V10',
          'false',
          `leaf ${leaf.index} erases the body of leaf ${index}, which is not before it`,
        )
    },
    finish: () => {
      const unexplained: number[] = []
      for (const [index, event] of missing) {
        const erasure = erased.get(index)
        if (erasure && (erasure.event === undefined || erasure.event === event))
          findings.add('V10', 'note', `the body of leaf ${index} was erased by leaf ${erasure.by}`)
        else unexplained.push(index)
      }
      for (const { first, last } of toRanges(unexplained)) {
        const which = first === last ? `body of leaf ${first} is` : `bodies of leaves ${first}–${last} are`
        findings.add('V10', 'false', `the ${which} missing and no erasure is recorded`)
      }
      if (!with_bodies)
        findings.add(
          'V10',
          'note',
          'the bodies that are not here were not asked for: their tags were not compared',
        )
    },
  }
}

/** Joins ascending numbers to ranges. */
function toRanges(numbers: readonly number[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.last === number - 1) range.last = number
    else ranges.push({ first: number, last: number })
  }
  return ranges
}
