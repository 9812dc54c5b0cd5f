// Writes the text about a command for the page of a CI run: one line per write, and a verdict with its
// reasons.
import { escapeMarkdown, writeMarkdownTable } from '../print/markdown.ts'
import type { Report } from './report.ts'

export interface Judgement {
  /** A sentence that names the subject and gives the verdict. */
  line: string
  verdict: 'yes' | 'no' | 'unknown'
  reasons: readonly Reason[]
}

interface Reason {
  description: string
  expected: string
  found: string
  remedy?: string | undefined
}

/** GitHub shows ten errors per step and drops the rest silently. */
const MOST_ANNOTATIONS = 10
const MOST_ROWS = 200

export function reportVerdict(report: Report, { line, verdict, reasons }: Judgement): void {
  const level = { yes: 'notice', no: 'error', unknown: 'warning' }[verdict] as 'notice' | 'error' | 'warning'
  report.writeSummary(writeVerdict(line, verdict === 'no' ? reasons : []), level)
  if (verdict !== 'yes')
    for (const message of listMessages(line, verdict === 'no' ? reasons : [])) report.annotate(level, message)
}

/** A write that was recorded, or that waits for the service. */
export function reportWrite(report: Report, text: string, waiting?: string): void {
  if (waiting === undefined) return void report.writeSummary(`- ${escapeMarkdown(text)}`, 'notice')
  report.writeSummary(`- ${escapeMarkdown(text)}: ${escapeMarkdown(waiting)}`, 'warning')
  report.annotate('warning', `${text}: ${waiting}`)
}

function writeVerdict(line: string, reasons: readonly Reason[]): string {
  const rows = reasons
    .slice(0, MOST_ROWS)
    .map(({ description, expected, found, remedy = '' }) => [description, expected, found, remedy])
  return [
    '',
    `### ${escapeMarkdown(line)}`,
    '',
    ...(rows.length === 0 ? [] : [writeMarkdownTable(['Problem', 'Expected', 'Found', 'Remedy'], rows), '']),
    ...(reasons.length > rows.length ? [`And ${reasons.length - rows.length} more.`, ''] : []),
  ].join('\n')
}

function listMessages(line: string, reasons: readonly Reason[]): string[] {
  if (reasons.length === 0) return [line]
  const shown = reasons.length > MOST_ANNOTATIONS ? reasons.slice(0, MOST_ANNOTATIONS - 1) : reasons
  const left = reasons.length - shown.length
  return [
    ...shown.map(
      ({ description, expected, found }) => `${line}: ${description} (expected ${expected}, found ${found})`,
    ),
    ...(left === 0 ? [] : [`${line}, for ${left} more reasons`]),
  ]
}
