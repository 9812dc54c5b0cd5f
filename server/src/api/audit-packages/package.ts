// What goes into an audit package: the records as the API tells them, the attachments, a page to read, and the sums that
// a stranger can check with `sha256sum -c manifest.sha256`.
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import { type Summary, type SummaryValue, summaryPage } from '../../evidence/summary-page.ts'
import { summaryPdf } from '../../evidence/summary-pdf.ts'
import { toWireId } from '../../lib/ids.ts'
import type { AttestationRow } from '../attestations/store.ts'
import { type Site, toWire } from '../attestations/wire.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'

export interface PackageContent {
  name: string
  title: string
  facts: (readonly [string, SummaryValue])[]
  /** Further records by file name, such as the trail itself. */
  records: Record<string, unknown>
  attestations: readonly AttestationRow[]
}

interface Asked {
  org: CallerOrg
  now: Date
}

export function auditPackage(content: PackageContent, { org, now }: Asked, deps: Deps): Download {
  const entries = entriesOf(content, siteOf(org, deps), deps.evidence)
  return new Download(`${content.name}.tgz`, writePackage(entries, now))
}

export async function auditPdf(content: PackageContent, { org, now }: Asked, deps: Deps): Promise<Download> {
  const summary = summaryOf(content, siteOf(org, deps))
  return new Download(`${content.name}.pdf`, await summaryPdf(summary, deps.base_url, now))
}

const siteOf = ({ name, org_id }: CallerOrg, { base_url }: Deps): Site => ({ base_url, org: name, org_id })

async function* entriesOf(
  content: PackageContent,
  site: Site,
  evidence: EvidenceStore,
): AsyncGenerator<PackageEntry> {
  yield { path: 'summary.html', content: summaryPage(summaryOf(content, site)) }
  for (const [path, record] of Object.entries(content.records)) yield { path, content: pretty(record) }
  for (const row of content.attestations) {
    const record = toWire(row, site)
    yield {
      path: `attestations/${row.attestation_name}-${record.attestation_id}.json`,
      content: pretty(record),
    }
    if (row.evidence_sha256 !== null) yield await evidenceEntry(row, row.evidence_sha256, site, evidence)
  }
}

/** What should be there and is not is said, never left out. */
async function evidenceEntry(
  row: AttestationRow,
  sha256: string,
  { org_id }: Site,
  evidence: EvidenceStore,
): Promise<PackageEntry> {
  const folder = `evidence/${toWireId(row.attestation_id)}`
  const kept = await evidence.open(org_id, sha256)
  if (!kept) return { path: `${folder}/MISSING.txt`, content: `${sha256} is not in the evidence store\n` }
  return { path: `${folder}/${row.evidence_name ?? 'evidence'}`, content: kept.content, bytes: kept.bytes }
}

function pretty(record: unknown): string {
  return `${JSON.stringify(record, null, 2)}\n`
}

function summaryOf({ title, facts, attestations }: PackageContent, site: Site): Summary {
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
      row.created_at.toISOString(),
      row.evidence_sha256 ?? 'none',
    ]
  })
  return { title, facts, tables: [{ caption: 'Attestations, newest first', columns, rows }] }
}
