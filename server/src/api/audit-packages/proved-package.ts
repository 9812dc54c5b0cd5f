// Audit packages with the events of a subject or a period: each event as it is in the log, with its inclusion proof.
import { formatNote, formatProofFile } from '@waybill/transparency-log'
import type { Database } from '../../db/database.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import { renderSummaryPage, type SummaryValue } from '../../evidence/summary-page.ts'
import { notFound } from '../../lib/errors.ts'
import { makeLaterId, toWireId } from '../../lib/ids.ts'
import type { SignedCheckpoint } from '../../log/advance.ts'
import { formatStoredLeaf } from '../../log/check-leaf.ts'
import { listLeavesWithEvents } from '../../log/check-store.ts'
import { addCosignatures } from '../../log/cosigned.ts'
import { type FoundLeaf, findLeafOfAttestation, findLeafOfEvent } from '../../log/leaf-store.ts'
import { printStoredBody } from '../../log/stored-body.ts'
import { findAttestation } from '../attestations/store.ts'
import type { EventRow } from '../audit-events/store.ts'
import { toWire as toAuditEvent } from '../audit-events/wire.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'
import { formatJson, streamAttestation, toSite } from './package.ts'

/** An event's id is created in the request that reports it: this is far more than a request takes. */
const EVENT_WITHIN_MS = 60 * 60 * 1000

export interface ProvedContent {
  name: string
  title: string
  facts: (readonly [string, SummaryValue])[]
  /** Records by file name. */
  records: Record<string, unknown>
  /** More files, made while the package is read. */
  more?: Iterable<PackageEntry>
  /** Newest first. */
  events: readonly EventRow[]
  /** Attestations that belong to the package: each with its files and its event. */
  attestation_ids: readonly string[]
}

interface PackageRequest {
  org: CallerOrg
  now: Date
}

/** Signs a checkpoint first, so that an unsignable log rejects the package instead of cutting it short. */
export async function buildProvedPackage(
  content: ProvedContent,
  { org, now }: PackageRequest,
  deps: Deps,
): Promise<Download> {
  const newest = await deps.logs.sign(org.org_id)
  const checkpoint = await addCosignatures(deps.db, deps.log_policy, org.org_id, newest)
  const entries = streamEntries(content, { org, now }, checkpoint, deps)
  return new Download(`${content.name}.tgz`, writePackage(entries, now))
}

async function* streamEntries(
  content: ProvedContent,
  { org, now }: PackageRequest,
  checkpoint: SignedCheckpoint,
  deps: Deps,
): AsyncGenerator<PackageEntry> {
  const { org_id } = org
  yield { path: 'README.txt', content: renderReadme(content, checkpoint, now) }
  yield { path: 'summary.html', content: renderSummaryPage(buildSummary(content)) }
  for (const [path, record] of Object.entries(content.records)) yield { path, content: formatJson(record) }
  if (content.more) yield* content.more
  const site = { base_url: deps.base_url, org: org.name }
  yield { path: 'events.json', content: formatJson(content.events.map(row => toAuditEvent(row, site))) }
  yield { path: 'log/checkpoint', content: formatNote(checkpoint.note) }
  for (const { event_id } of content.events)
    yield* proveLeaf(org_id, await findLeafOfEvent(deps.db, org_id, event_id), checkpoint, deps)
  for (const attestation_id of content.attestation_ids) {
    const row = await findAttestation(deps.db, org_id, attestation_id)
    if (!row) throw notFound(`Attestation '${toWireId(attestation_id)}' is gone`)
    yield* streamAttestation(row, toSite(org, deps), deps.evidence)
    const end_id = makeLaterId(attestation_id, EVENT_WITHIN_MS)
    const names = { id: attestation_id, wire_id: toWireId(attestation_id), end_id }
    yield* proveLeaf(org_id, await findLeafOfAttestation(deps.db, org_id, names), checkpoint, deps)
  }
}

/** An event from before the log has no leaf; one in a log closed after a loss has no proof. */
async function* proveLeaf(
  org_id: string,
  found: FoundLeaf | undefined,
  checkpoint: SignedCheckpoint,
  { db, logs }: Deps,
): AsyncGenerator<PackageEntry> {
  // Events recorded after the checkpoint are in the next package.
  if (!found || (found.epoch === checkpoint.epoch && found.seq >= checkpoint.size)) return
  const { seq: index, epoch } = found
  const leaf = await readLeaf(db, org_id, found)
  const isOfThisLog = epoch === checkpoint.epoch
  const name = isOfThisLog ? `log/${index}` : `log-${epoch}/${index}`
  yield { path: `${name}.json`, content: formatJson({ ...leaf, ...(isOfThisLog ? {} : { epoch }) }) }
  const proof = isOfThisLog ? await logs.prove(org_id, { index }, checkpoint) : undefined
  if (proof) yield { path: `${name}.tlog-proof`, content: formatProofFile(proof) }
}

async function readLeaf(db: Database, org_id: string, { seq, epoch }: FoundLeaf) {
  const [row] = await db.withTransaction({ org_id }, tx =>
    listLeavesWithEvents(tx, { org_id, epoch, from: seq, limit: 1 }),
  )
  if (row?.seq !== seq) throw notFound(`Leaf ${seq} is gone`)
  const body = printStoredBody(row)
  const leaf = formatStoredLeaf(row)
  // Without a salt the body was erased; the leaf stays.
  if (body === undefined || row.salt === null) return { index: seq, leaf }
  return { index: seq, leaf, body, salt: row.salt.toString('base64') }
}

function buildSummary({ title, facts, events }: ProvedContent) {
  const rows = events.map(row => [
    row.happened_at.toISOString(),
    toAuditEvent(row, { base_url: '', org: '' }).sentence,
    toWireId(row.event_id),
  ])
  return {
    title,
    facts,
    tables: [{ caption: 'Events, newest first', columns: ['at', 'what happened', 'event'], rows }],
  }
}

function renderReadme({ title }: ProvedContent, { origin, size }: SignedCheckpoint, now: Date): string {
  return `${title}
Made by Waybill at ${now.toISOString()}.

summary.html is for people. events.json has the same events for programs.
log/ has each event as it was recorded (body and salt), its leaf, and the proof that the leaf is in the log
${origin} of ${size} leaves. log/checkpoint is the log as it was signed.
attestations/ and evidence/, if there are any, have reports and their files.

To verify, with the public key of the log from somebody you trust:
  waybill verify this-package.tgz --vkey <key>
It exits with 0 if all is shown, 1 if something is false, and 2 if it cannot be judged.
To compare the sums alone: sha256sum -c manifest.sha256

The proofs show that what is here was recorded. They do not show that nothing was left out: for that, download the
whole log with \`waybill log fetch\` and verify it. Events that confirm unchanged environments are left out.
`
}
