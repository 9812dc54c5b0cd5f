// GET /organizations/{org}/export: streams every row of the organization as one archive.

import type { Database } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import { Binary, type CallerOrg, Download, defineOperation } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import {
  EXCLUDED_COLUMNS,
  EXPORTED_TABLES,
  listAttachments,
  readPeopleLines,
  readTableLines,
} from './export-store.ts'

/**
 * An archive states the length of a file before its content, so each file must fit into memory: longer ones are split.
 */
const PART_CHARACTERS = 4 * 1024 * 1024

export const exportOrg = defineOperation(
  {
    id: 'exportOrganization',
    method: 'GET',
    path: '/organizations/{org}/export',
    tag: 'Organizations',
    summary: 'Download all data of an organization',
    description:
      'A `.tgz` with `<table>.jsonl` for every table, one row per line, and `manifest.sha256` for `sha256sum -c`. A long ' +
      'table continues in `<table>-2.jsonl` and so on. Attachments are in `attachments/`, named by their SHA-256. Secrets ' +
      'are not included.',
    access: 'admin',
    auditors: true,
    audit: 'org_exported',
    params: OrgPath,
    returns: Binary,
    download: 'application/gzip',
    fails: [403],
  },
  async (request, { db, ids, evidence }) => {
    const { org, now } = request
    // Recorded before the first byte, so an incomplete download is recorded too.
    await db.withTransaction({ org_id: org.org_id }, tx =>
      recordEvent(tx, request, ids, { kind: 'org_exported', data: { org: org.name } }),
    )
    return new Download(`${org.name}-export.tgz`, writePackage(streamEntries(db, evidence, org, now), now))
  },
)

async function* streamEntries(
  db: Database,
  evidence: EvidenceStore,
  org: CallerOrg,
  now: Date,
): AsyncGenerator<PackageEntry> {
  yield { path: 'README.txt', content: renderReadme(org.name, now) }
  yield* splitIntoParts('people.jsonl', readPeopleLines(db, org.org_id))
  for (const table of EXPORTED_TABLES) {
    yield* splitIntoParts(`${table.name}.jsonl`, readTableLines(db, org.org_id, table))
  }
  const lost: string[] = []
  for await (const sha256 of listAttachments(db, org.org_id)) {
    const attachment = await evidence.open(org.org_id, sha256)
    if (attachment) yield { path: `attachments/${sha256}`, ...attachment }
    else lost.push(sha256)
  }
  // Missing attachments are listed; they do not stop the export.
  if (lost.length > 0) yield { path: 'attachments/LOST.txt', content: `${lost.join('\n')}\n` }
}

/** All parts have the same path here; the package numbers them. A table without rows becomes an empty file. */
async function* splitIntoParts(path: string, batches: AsyncIterable<string[]>): AsyncGenerator<PackageEntry> {
  let content = ''
  let parts = 0
  for await (const lines of batches) {
    content += `${lines.join('\n')}\n`
    if (content.length < PART_CHARACTERS) continue
    yield { path, content }
    content = ''
    parts += 1
  }
  if (content !== '' || parts === 0) yield { path, content }
}

function renderReadme(org: string, now: Date): string {
  return `All data that Waybill stores about the organization ${org}. Export started at ${now.toISOString()}.

<table>.jsonl contains the rows of a table in key order, one JSON object per line. A long table continues in
<table>-2.jsonl, <table>-3.jsonl and so on. Tables were read one after the other, so a change made during the export may
appear in one table and not in another.

people.jsonl lists the members. attachments/ contains the attachments of attestations, each named by its SHA-256, which is
in the column evidence_sha256 of the attestations, and in stored_sha256 of the attestation_files.

Not included: columns with secrets (${EXCLUDED_COLUMNS.join(', ')}), and personal data of people outside the organization.

To verify the files: sha256sum -c manifest.sha256
`
}
