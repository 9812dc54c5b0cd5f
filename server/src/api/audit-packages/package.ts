// Builds audit packages: the records as the API returns them, the attachments, a summary page, and checksums that
// anyone can verify with `sha256sum -c manifest.sha256`.

import type { EvidenceFile } from '../../domain/evidence/files.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import { renderSummaryPage, type Summary, type SummaryValue } from '../../evidence/summary-page.ts'
import { renderSummaryPdf } from '../../evidence/summary-pdf.ts'
import { toWireId } from '../../lib/ids.ts'
import type { AttestationRow } from '../attestations/store.ts'
import { type Site, toWire } from '../attestations/wire.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'
import type { Collected } from '../shared/collected.ts'
import { listFiles, openFile } from '../shared/evidence-files.ts'

export interface PackageContent {
  name: string
  title: string
  facts: (readonly [string, SummaryValue])[]
  /** More records by file name, such as the trail itself. */
  records: Record<string, unknown>
  attestations: readonly AttestationRow[]
}

interface PackageRequest {
  org: CallerOrg
  now: Date
}

export function buildAuditPackage(
  content: PackageContent,
  { org, now }: PackageRequest,
  deps: Deps,
): Download {
  const entries = streamEntries(content, toSite(org, deps), deps.evidence)
  return new Download(`${content.name}.tgz`, writePackage(entries, now))
}

export async function buildAuditPdf(
  content: PackageContent,
  { org, now }: PackageRequest,
  deps: Deps,
): Promise<Download> {
  const summary = buildSummary(content, toSite(org, deps))
  return new Download(`${content.name}.pdf`, await renderSummaryPdf(summary, deps.base_url, now))
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
  for (const row of content.attestations) yield* streamAttestation(row, site, evidence)
}

/** The report and its files. */
export async function* streamAttestation(
  row: AttestationRow,
  site: Site,
  evidence: EvidenceStore,
): AsyncGenerator<PackageEntry> {
  const record = toWire(row, site)
  yield {
    path: `attestations/${row.attestation_name}-${record.attestation_id}.json`,
    content: formatJson(record),
  }
  for (const file of listFiles(row)) yield await readEvidenceEntry(row, file, site, evidence)
}

/** Missing evidence is listed as missing, never silently left out. */
async function readEvidenceEntry(
  row: AttestationRow,
  file: EvidenceFile,
  { org_id }: Site,
  evidence: EvidenceStore,
): Promise<PackageEntry> {
  const folder = `evidence/${toWireId(row.attestation_id)}`
  const opened = await openFile(evidence, org_id, file)
  if (!opened)
    return { path: `${folder}/MISSING.txt`, content: `${file.stored_sha256} is not in the evidence store\n` }
  return { path: `${folder}/${opened.name}`, content: opened.content, bytes: opened.bytes }
}

export function formatJson(record: unknown): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

function buildSummary({ title, facts, attestations }: PackageContent, site: Site): Summary {
  const columns = ['name', 'type', 'for', 'verdict', 'found', 'reported by', 'at', 'evidence']
  const rows = attestations.map(row => {
    const { verdict } = row.report as { verdict?: { found: string } }
    return [
      { text: row.attestation_name, href: toWire(row, site).html_url },
      row.attestation_type,
      row.artifact_fingerprint ?? (row.target_artifacts.join(', ') || 'the trail'),
      row.is_compliant ? 'COMPLIANT' : 'NON-COMPLIANT',
      verdict?.found ?? '',
      row.reported_by,
      formatTimes(row),
      listFiles(row)
        .map(({ sha256 }) => sha256)
        .join(', ') || 'none',
    ]
  })
  return { title, facts, tables: [{ caption: 'Attestations, newest first', columns, rows }] }
}
