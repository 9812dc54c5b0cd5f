// Scanner findings: all are counted, and the worst are listed up to a limit.
import { cutText } from './text.ts'

const MAX_FINDINGS = 500
/** Attestation data is limited to 1 MiB; this leaves room for the rest of it. */
const MAX_FINDINGS_BYTES = 512 * 1024
const MAX_TEXT = 500

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'negligible', 'unknown'] as const
export type Severity = (typeof SEVERITIES)[number]
export type SeverityCounts = Record<Severity, number>

/** A finding of a scanner. Every text is truncated. */
export interface Finding {
  id: string
  severity: string
  title?: string
  package?: string
  version?: string
  fixed_version?: string
  location?: string
}

/** The fields that the caller knows; empty ones are omitted. */
export type FoundFinding = { id: string; severity: string } & {
  [K in Exclude<keyof Finding, 'id' | 'severity'>]?: string | undefined
}

export interface FindingList<S extends string> {
  add(finding: FoundFinding & { severity: S }): void
  getCounts(): Record<S, number>
  /** The listed findings and the number of omitted ones. */
  cut(): { findings: Finding[]; truncated: number }
}

/** `levels` are the severities, worst first. */
export function makeFindingList<S extends string>(levels: readonly S[]): FindingList<S> {
  const groups = new Map(levels.map(level => [level, { count: 0, kept: [] as Finding[] }]))
  return {
    add: finding => {
      const group = groups.get(finding.severity)
      if (!group) throw new Error(`no such severity: ${finding.severity}`)
      group.count++
      if (group.kept.length < MAX_FINDINGS) group.kept.push(toFinding(finding))
    },
    getCounts: () =>
      Object.fromEntries([...groups].map(([level, { count }]) => [level, count])) as Record<S, number>,
    cut: () => {
      const total = [...groups.values()].reduce((sum, { count }) => sum + count, 0)
      const findings = takeWithinBytes(
        [...groups.values()].flatMap(({ kept }) => kept).slice(0, MAX_FINDINGS),
        MAX_FINDINGS_BYTES,
      )
      return { findings, truncated: total - findings.length }
    },
  }
}

function toFinding({ id, severity, ...rest }: FoundFinding): Finding {
  const given = Object.entries(rest).filter(([, text]) => text !== undefined && text !== '')
  const texts = given.map(([key, text]) => [key, cutText(text ?? '', MAX_TEXT)])
  return { id: cutText(id, MAX_TEXT), severity, ...Object.fromEntries(texts) }
}

/** The leading elements whose JSON fits into this many bytes. */
export function takeWithinBytes<T>(items: readonly T[], max_bytes: number): T[] {
  let bytes = 0
  const end = items.findIndex(item => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1
    return bytes > max_bytes
  })
  return items.slice(0, end === -1 ? items.length : end)
}

/** Understands the words of all scanners; any other severity is `unknown`. */
export function toSeverity(word: string | undefined): Severity {
  const lower = (word ?? '').toLowerCase()
  return SEVERITIES.find(severity => severity === lower) ?? 'unknown'
}
