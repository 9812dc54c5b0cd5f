// Builds audit packages: the records as the API returns them, the attachments, the leaves that prove them, a summary
// page, checksums for `sha256sum -c manifest.sha256`, and the seal.
import { formatJson, type Issued } from '../../domain/audit-package/seal.ts'
import type { EvidenceFile } from '../../domain/evidence/files.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import {
  renderSummaryPage,
  type Summary,
  type SummaryTable,
  type SummaryValue,
} from '../../evidence/summary-page.ts'
import { renderSummaryPdf } from '../../evidence/summary-pdf.ts'
import { toWireId } from '../../lib/ids.ts'
import type { FoundLeaf } from '../../log/leaf-store.ts'
import type { AttestationRow } from '../attestations/store.ts'
import { type Site, toWire } from '../attestations/wire.ts'
import type { EventRow } from '../audit-events/store.ts'
import { toWire as toAuditEvent } from '../audit-events/wire.ts'
import type { ConfirmedDecision } from '../decisions/wire.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'
import type { Collected } from '../shared/collected.ts'
import { listFiles, openFile } from '../shared/evidence-files.ts'
import { type IssueRequest, recordDownload } from '../shared/issued.ts'

export interface PackageContent {
  name: string
  title: string
  /** For the event: what was asked for. */
  asked: Omit<Issued, 'format' | 'sha256'>
  facts: (readonly [string, SummaryValue])[]
  /** More records by file name, such as the trail itself. */
  records: Record<string, unknown>
  /** The leaves that say something about a record, by file name, read while the package is. */
  proofs?: Record<string, AsyncIterable<ToProve>>
  /** The artifacts of a snapshot, rendered while the package is read. */
  artifacts?: Iterable<{ path: string; content: string }>
  /** Newest first. */
  events?: readonly EventRow[]
  attestations?: readonly AttestationRow[]
  /** Attestations that are read while the package is written. */
  attestation_ids?: readonly string[]
}

export interface ToProve {
  leaf: FoundLeaf | undefined
  /** Rows of the database that the event commits to. */
  contents?: Readonly<Record<string, string>>
}

/** Only checksums: nobody vouches for such a package. */
export function buildUnsealedPackage(
  content: PackageContent,
  { org, now }: Pick<IssueRequest, 'org' | 'now'>,
  deps: Deps,
): Download {
  const entries = streamEntries(content, toSite(org, deps), deps.evidence)
  return new Download(`${content.name}.tgz`, writePackage(entries, now))
}

export async function buildAuditPdf(
  content: PackageContent,
  request: IssueRequest,
  deps: Deps,
): Promise<Download> {
  const summary = buildSummary(content, toSite(request.org, deps))
  const pdf = await renderSummaryPdf(summary, deps.base_url, request.now)
  const download = new Download(`${content.name}.pdf`, pdf)
  return recordDownload(download, { ...content.asked, format: 'pdf' }, request, deps)
}

/** The time of the service, and the sender's time if it stated one. */
function formatTimes({ created_at, report }: AttestationRow): string {
  const { collected_at, spooled } = report as Collected
  const recorded = created_at.toISOString()
  const notes = [
    ...(collected_at === undefined ? [] : [`collected ${new Date(collected_at * 1000).toISOString()}`]),
    ...(spooled ? ['sent later'] : []),
  ]
  return notes.length === 0 ? recorded : `${recorded} (${notes.join(', ')})`
}

/** Both persons with their reasons, if two decided. */
function formatReporters({ reported_by, report }: AttestationRow): string {
  const { confirmed_decision: decided } = report as { confirmed_decision?: ConfirmedDecision }
  if (!decided) return reported_by
  const { asked_by, asked_reason, confirmed_reason } = decided
  return `${reported_by} (${confirmed_reason}), as ${asked_by} asked (${asked_reason})`
}

export const toSite = ({ name, org_id }: CallerOrg, { base_url }: Deps): Site => ({
  base_url,
  org: name,
  org_id,
})

async function* streamEntries(
  content: PackageContent,
  site: Site,
  evidence: EvidenceStore,
): AsyncGenerator<PackageEntry> {
  yield { path: 'summary.html', content: renderSummaryPage(buildSummary(content, site)) }
  for (const [path, record] of Object.entries(content.records)) yield { path, content: formatJson(record) }
  for (const row of content.attestations ?? []) {
    yield toAttestationEntry(row, site)
    for (const file of listFiles(row)) yield (await readEvidenceEntry(row, file, site, evidence)).entry
  }
}

export function toAttestationEntry(row: AttestationRow, site: Site): { path: string; content: string } {
  const record = toWire(row, site)
  return {
    path: `attestations/${row.attestation_name}-${record.attestation_id}.json`,
    content: formatJson(record),
  }
}

/** Missing evidence is listed as missing, never silently left out. */
export async function readEvidenceEntry(
  row: AttestationRow,
  file: EvidenceFile,
  { org_id }: Pick<Site, 'org_id'>,
  evidence: EvidenceStore,
): Promise<{ entry: PackageEntry; sha256: string }> {
  const folder = `evidence/${toWireId(row.attestation_id)}`
  const opened = await openFile(evidence, org_id, file)
  const entry = opened
    ? { path: `${folder}/${opened.name}`, content: opened.content, bytes: opened.bytes }
    : { path: `${folder}/MISSING.txt`, content: `${file.stored_sha256} is not in the evidence store\n` }
  return { entry, sha256: opened ? file.sha256 : '' }
}

export function buildSummary(
  content: PackageContent,
  site: Site,
  more: readonly SummaryTable[] = [],
): Summary {
  const { title, facts, attestations, events } = content
  return {
    title,
    facts,
    tables: [
      ...(attestations ? [listAttestations(attestations, site)] : []),
      ...(events ? [listEvents(events)] : []),
      ...more,
    ],
  }
}

function listAttestations(attestations: readonly AttestationRow[], site: Site): SummaryTable {
  const columns = ['name', 'type', 'for', 'verdict', 'found', 'reported by', 'at', 'evidence']
  const rows = attestations.map(row => {
    const { verdict } = row.report as { verdict?: { found: string } }
    return [
      { text: row.attestation_name, href: toWire(row, site).html_url },
      row.attestation_type,
      row.artifact_fingerprint ?? (row.target_artifacts.join(', ') || 'the trail'),
      row.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
      verdict?.found ?? '',
      formatReporters(row),
      formatTimes(row),
      listFiles(row)
        .map(({ sha256 }) => sha256)
        .join(', ') || 'none',
    ]
  })
  return { caption: 'Attestations, newest first', columns, rows }
}

function listEvents(events: readonly EventRow[]): SummaryTable {
  const rows = events.map(row => [
    row.happened_at.toISOString(),
    `${toAuditEvent(row, { base_url: '', org: '' }).sentence}${formatPersons(row)}`,
    toWireId(row.event_id),
  ])
  return { caption: 'Events, newest first', columns: ['at', 'what happened', 'event'], rows }
}

/** The sentence of an event has only the second person's reason. */
function formatPersons({ data }: EventRow): string {
  const { confirmed_decision: decided } = data as { confirmed_decision?: ConfirmedDecision }
  if (!decided) return ''
  const { asked_by, asked_reason, confirmed_by, confirmed_reason } = decided
  return ` (${asked_by} asked: ${asked_reason}; ${confirmed_by} confirmed: ${confirmed_reason})`
}
