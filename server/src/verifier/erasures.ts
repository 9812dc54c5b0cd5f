// Bodies that are missing: each must have been erased by a later leaf that names it. The leaf itself stays for ever.
import type { Leaf } from '../domain/log/leaf.ts'
import type { CheckedBody } from './bodies.ts'
import type { Findings } from './findings.ts'

const ERASED = 'body_erased'

export interface Erasures {
  look(leaf: Leaf, body: CheckedBody | undefined, is_stored: boolean): void
  finish(with_bodies: boolean): void
}

export function makeErasures(findings: Findings): Erasures {
  /** Ranges of leaves without a body: from the first up to the last. */
  const missing: { first: number; last: number }[] = []
  /** The leaf that erased the body of another one. */
  const erased = new Map<number, number>()
  return {
    look: (leaf, body, is_stored) => {
      if (!is_stored) {
        const range = missing.at(-1)
        if (range?.last === leaf.index - 1) range.last = leaf.index
        else missing.push({ first: leaf.index, last: leaf.index })
      }
      if (leaf.kind !== ERASED || !body) return
      const { index } = body.data
      if (Number.isSafeInteger(index) && Number(index) >= 0 && Number(index) < leaf.index)
        erased.set(Number(index), leaf.index)
      else
        findings.add(
          'V10',
          'false',
          `leaf ${leaf.index} erases the body of leaf ${index}, which is not before it`,
        )
    },
    finish: with_bodies => {
      for (const { first, last } of missing) reportMissing({ first, last }, { erased, with_bodies, findings })
      if (!with_bodies)
        findings.add(
          'V10',
          'note',
          'bodies were not asked for: tags were compared only with those that are here',
        )
    },
  }
}

function reportMissing(
  { first, last }: { first: number; last: number },
  {
    erased,
    with_bodies,
    findings,
  }: { erased: Map<number, number>; with_bodies: boolean; findings: Findings },
): void {
  let begin = first
  const tell = (end: number) => {
    if (!with_bodies || begin > end) return
    const which = begin === end ? `the body of leaf ${begin} is` : `the bodies of leaves ${begin}–${end} are`
    findings.add('V10', 'false', `${which} missing and no erasure is recorded`)
  }
  for (let index = first; index <= last; index++) {
    const by = erased.get(index)
    if (by === undefined) continue
    tell(index - 1)
    findings.add('V10', 'note', `the body of leaf ${index} was erased by leaf ${by}`)
    begin = index + 1
  }
  tell(last)
}
