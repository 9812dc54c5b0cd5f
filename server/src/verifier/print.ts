// Prints a verification for people and programs.
import type { FoundLeaf } from './claims.ts'
import { escapeText } from './escape.ts'
import type { Verification } from './verify.ts'

const MS_PER_S = 1_000
const CONCLUSIONS = {
  shown: 'All of this is shown.',
  false: 'Something is false: do not rely on this log.',
  unknown: 'Something cannot be judged.',
}
export const EXIT_CODES = { shown: 0, false: 1, unknown: 2 } as const

export function printVerification(verification: Verification): string {
  const { log, findings, answers, verdict } = verification
  const lines: string[] = []
  if (log) {
    const seen = log.witnesses.length === 0 ? '' : `, cosigned by ${log.witnesses.join(', ')}`
    lines.push(
      `Log ${log.origin}: ${log.size} leaves, signed by ${log.signed_by.join(', ') || 'nobody you trust'}${seen}`,
    )
  }
  for (const { code, level, text } of findings)
    lines.push(`${code} ${level === 'note' ? 'note: ' : ''}${text}`)
  for (const { claim, leaves, of_trails } of answers) {
    lines.push('', `${capitalize(claim.text)}: ${describeCount(leaves.length)}`)
    lines.push(...leaves.map(leaf => `  ${describeLeaf(leaf, verification)}`))
    if (of_trails.length > 0) {
      lines.push(`  Its trails have ${describeCount(of_trails.length)} of attestations that do not name it:`)
      lines.push(...of_trails.map(leaf => `  ${describeLeaf(leaf, verification)}`))
    }
  }
  if (answers.length > 0) lines.push('', 'What was never sent to Waybill, or was refused, no log can know.')
  return [...lines, CONCLUSIONS[verdict]].map(escapeText).join('\n')
}

export function toJson(verification: Verification): unknown {
  const { verdict, log, findings, answers } = verification
  const describe = (leaf: FoundLeaf) => ({
    index: leaf.index,
    kind: leaf.kind,
    at: new Date(leaf.at_ms).toISOString(),
    claimed_at: leaf.happened_at ?? null,
    provable_since: findProvable(leaf, verification) ?? null,
  })
  return {
    verdict,
    log: log ?? null,
    findings,
    answers: answers.map(({ claim, leaves, of_trails }) => ({
      claim: claim.text,
      leaves: leaves.map(describe),
      of_trails: of_trails.map(describe),
    })),
  }
}

const describeCount = (count: number) =>
  count === 0
    ? 'no leaf, and there is none'
    : count === 1
      ? '1 leaf, and there is no other'
      : `${count} leaves, and there are no others`

function describeLeaf(leaf: FoundLeaf, verification: Verification): string {
  const provable = findProvable(leaf, verification)
  const since =
    provable === undefined ? `recorded ${new Date(leaf.at_ms).toISOString()}` : `provable since ${provable}`
  const claimed = leaf.happened_at === undefined ? '' : `, claimed ${leaf.happened_at}`
  return `leaf ${leaf.index}: ${leaf.kind}, ${since}${claimed}`
}

/** When a witness first saw a log with this leaf. */
function findProvable({ index }: FoundLeaf, { cosigned }: Verification): string | undefined {
  const times = cosigned.filter(({ size }) => size > index).map(({ time_s }) => time_s)
  return times.length === 0 ? undefined : new Date(Math.min(...times) * MS_PER_S).toISOString()
}

const capitalize = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)
