// GET /organizations/{org}/export: every row the organization has, in one file that is made while it is sent.
import type { Database } from '../../db/database.ts'
import { recordEvent } from '../../events/record.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import type { EvidenceStore } from '../../evidence/evidence.ts'
import { Binary, type CallerOrg, Download, defineOperation } from '../operation.ts'
import {
  EXCLUDED_COLUMNS,
  EXPORTED_TABLES,
  listAttachments,
  readPeopleLines,
  readTableLines,
} from './export-store.ts'
import { OrgPath } from './wire.ts'

/** An archive says the length of a file before its content, so that a file must fit into memory: longer ones are split. */
const PART_CHARACTERS = 4 * 1024 * 1024

export const exportOrg = defineOperation(
  {
    id: 'exportOrganization',
    method: 'GET',
    path: '/organizations/{org}/export',
    tag: 'Organizations',
    summary: 'Download everything that is stored about an organization',
    description:
      'A `.tgz` with `<table>.jsonl` for every table, one row a line, and `manifest.sha256` for `sha256sum -c`. A long table ' +
      'goes on in `<table>-2.jsonl` and so forth. The attachments are in `attachments/`, named by their SHA-256. Secrets are ' +
      'not in it.',
    access: 'admin',
    audit: 'org_exported',
    params: OrgPath,
    returns: Binary,
    download: 'application/gzip',
    fails: [403],
  },
  async (request, { db, ids, evidence }) => {
    const { org, now } = request
    // Before the first byte: that somebody took an export is known also when they did not take all of it.
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
    const kept = await evidence.open(org.org_id, sha256)
    if (kept) yield { path: `attachments/${sha256}`, ...kept }
    else lost.push(sha256)
  }
  // What the store has lost is said, and does not keep the rest from being taken.
  if (lost.length > 0) yield { path: 'attachments/LOST.txt', content: `${lost.join('\n')}\n` }
}

/** Parts have the same path here; the package numbers them. A table without rows is an empty file. */
async function* splitIntoParts(
  path: string,
  portions: AsyncIterable<string[]>,
): AsyncGenerator<PackageEntry> {
  let content = ''
  let parts = 0
  for await (const lines of portions) {
    content += `${lines.join('\n')}\n`
    if (content.length < PART_CHARACTERS) continue
    yield { path, content }
    content = ''
    parts += 1
  }
  if (content !== '' || parts === 0) yield { path, content }
}

function renderReadme(org: string, now: Date): string {
  return `Everything that Waybill stores about the organization ${org}, begun at ${now.toISOString()}.

<table>.jsonl has the rows of a table, one JSON object a line, in the order of their key. A long table goes on in
<table>-2.jsonl, <table>-3.jsonl and so forth. Tables were read one after the other: what was changed meanwhile may be in
one and not yet in another.

people.jsonl names the members. attachments/ has what was attached to attestations, each under its SHA-256, which the
column evidence_sha256 of the attestations names.

Not in it: columns with secrets (${EXCLUDED_COLUMNS.join(', ')}), and what people have apart from the organization.

To check that nothing was changed: sha256sum -c manifest.sha256
`
}
