// Sealed audit packages: each record with the leaves that prove it, a summary that says what they prove, and the seal.
import { compareAttestation, compareEvents, compareEvidence } from '../../domain/audit-package/compare.ts'
import { type Comparison, describeComparison, OPERATOR_ONLY } from '../../domain/audit-package/comparison.ts'
import type { ProvenLeaf } from '../../domain/audit-package/proven-leaf.ts'
import { compareRecordFile, findSnapshot, readScope } from '../../domain/audit-package/record-files.ts'
import { parseRecord, parseRecords } from '../../domain/audit-package/records.ts'
import { formatJson } from '../../domain/audit-package/seal.ts'
import { compareRunning } from '../../domain/audit-package/snapshot.ts'
import { refuseForeign, type Scope } from '../../domain/audit-package/trail.ts'
import { describeRecord } from '../../events/describe-record.ts'
import { type PackageEntry, writePackage } from '../../evidence/audit-package.ts'
import { renderSummaryPage } from '../../evidence/summary-page.ts'
import { assert } from '../../lib/assert.ts'
import { LogUnsigned, notFound } from '../../lib/errors.ts'
import { toWireId } from '../../lib/ids.ts'
import { addCosignatures } from '../../log/cosigned.ts'
import { findLeafOfAttestation, findLeafOfEvent } from '../../log/leaf-store.ts'
import { type AttestationRow, findAttestation } from '../attestations/store.ts'
import { toWire as toAuditEvent } from '../audit-events/wire.ts'
import { type Deps, Download } from '../operation.ts'
import { listFiles } from '../shared/evidence-files.ts'
import { type IssueRequest, isRecorded, requireWritable } from '../shared/issued.ts'
import { formatCheckpointFile, type Leaves, makeLeaves } from './leaves.ts'
import {
  buildSummary,
  buildUnsealedPackage,
  type PackageContent,
  readEvidenceEntry,
  toAttestationEntry,
  toSite,
} from './package.ts'
import { toReportedId } from './prove.ts'
import { streamSeal } from './seal.ts'

/** For packages that may do without the log: of a stranger, or while the log cannot be signed. */
export async function buildAuditPackage(
  content: PackageContent,
  request: IssueRequest,
  deps: Deps,
): Promise<Download> {
  if (!isRecorded(request)) return buildUnsealedPackage(content, request, deps)
  try {
    return await buildSealedPackage(content, request, deps)
  } catch (error) {
    // The verifier says that such a package is unsealed.
    if (error instanceof LogUnsigned) return buildUnsealedPackage(content, request, deps)
    throw error
  }
}

/** Signs a checkpoint first, so that an unsignable log rejects the package instead of cutting it short. */
export async function buildSealedPackage(
  content: PackageContent,
  request: IssueRequest,
  deps: Deps,
): Promise<Download> {
  const { org, now } = request
  await requireWritable(request, deps)
  const newest = await deps.logs.sign(org.org_id)
  const checkpoint = await addCosignatures(deps.db, deps.log_policy, org.org_id, newest)
  const leaves = makeLeaves(org.org_id, checkpoint, deps)
  const entries = streamEntries(content, leaves, request, deps)
  const seal = (sha256: string) =>
    streamSeal({ ...content.asked, format: 'package', sha256 }, { request, before: checkpoint }, deps)
  return new Download(`${content.name}.tgz`, writePackage(entries, now, seal))
}

/** What proves each file, for the summary. */
type Shown = [path: string, comparison: Comparison][]

async function* streamEntries(
  content: PackageContent,
  leaves: Leaves,
  request: IssueRequest,
  deps: Deps,
): AsyncGenerator<PackageEntry> {
  const { org, now } = request
  const { org_id } = org
  const site = toSite(org, deps)
  const shown: Shown = []
  yield { path: 'README.txt', content: renderReadme(content, leaves, now) }
  yield { path: 'log/checkpoint', content: formatCheckpointFile(leaves.checkpoint) }
  const scope = yield* streamRecords(content, leaves, shown)
  if (content.events) {
    for (const { event_id } of content.events)
      yield* leaves.write(await findLeafOfEvent(deps.db, org_id, event_id))
    const records = content.events.map(row => toAuditEvent(row, { base_url: deps.base_url, org: org.name }))
    const text = formatJson(records)
    yield { path: 'events.json', content: text }
    shown.push(['events.json', compareEvents(parseRecords(text) ?? [], leaves.find, describeRecord)])
  }
  for (const row of content.attestations ?? [])
    yield* streamAttestation(row, { leaves, shown, scope, request }, deps)
  for (const attestation_id of content.attestation_ids ?? []) {
    const row = await findAttestation(deps.db, org_id, attestation_id)
    if (!row) throw notFound(`Attestation '${toWireId(attestation_id)}' is gone`)
    yield* streamAttestation(row, { leaves, shown, scope, request }, deps)
  }
  yield {
    path: 'summary.html',
    content: renderSummaryPage(buildSummary(content, site, [listShown(shown)])),
  }
}

/** Returns whose evidence may follow. */
async function* streamRecords(
  { records, proofs, artifacts }: PackageContent,
  leaves: Leaves,
  shown: Shown,
): AsyncGenerator<PackageEntry, Scope | undefined> {
  const texts = new Map<string, string>()
  const proven: ProvenLeaf[] = []
  for (const [path, record] of Object.entries(records)) {
    const content = formatJson(record)
    texts.set(path, content)
    yield { path, content }
    for await (const { leaf, contents } of proofs?.[path] ?? []) {
      const written = yield* leaves.write(leaf, contents)
      if (written) proven.push(written)
    }
    const compared = compareRecordFile(path, content, proven)
    assert(compared !== 'malformed', 'records are written as they are read')
    shown.push([path, compared])
  }
  const snapshot = findSnapshot(texts, proven)
  for (const entry of artifacts ?? []) {
    yield entry
    const running = parseRecords(entry.content) ?? []
    shown.push([entry.path, snapshot ? compareRunning(running, snapshot) : OPERATOR_ONLY])
  }
  return readScope(texts, proven)
}

interface Attested {
  leaves: Leaves
  shown: Shown
  scope: Scope | undefined
  request: IssueRequest
}

async function* streamAttestation(
  row: AttestationRow,
  { leaves, shown, scope, request }: Attested,
  deps: Deps,
): AsyncGenerator<PackageEntry> {
  const { org } = request
  const { attestation_id: id } = row
  const site = toSite(org, deps)
  const leaf: ProvenLeaf | undefined = yield* leaves.write(
    await findLeafOfAttestation(deps.db, org.org_id, toReportedId(id)),
  )
  const compare = (compareWith: (leaf: ProvenLeaf) => Comparison) =>
    leaf ? refuseForeign(compareWith(leaf), leaf, scope) : OPERATOR_ONLY
  const entry = toAttestationEntry(row, site)
  yield entry
  const record = parseRecord(entry.content) ?? {}
  shown.push([entry.path, compare(found => compareAttestation(record, found))])
  for (const file of listFiles(row)) {
    const { entry: attached, sha256 } = await readEvidenceEntry(row, file, site, deps.evidence)
    yield attached
    shown.push([attached.path, compare(found => compareEvidence(attached.path, sha256, found))])
  }
}

function listShown(shown: Shown) {
  const rows = shown.map(([path, comparison]) => [path, describeComparison(comparison)])
  const others = ['README.txt', 'summary.html']
  return {
    caption: 'What proves each file',
    columns: ['file', 'shown by'],
    rows: [
      ...rows,
      ...others.map(path => [path, describeComparison(OPERATOR_ONLY)]),
      ['log/ and parts/', 'the leaves, as they were recorded'],
    ],
  }
}

function renderReadme(
  { title }: PackageContent,
  { checkpoint: { origin, size } }: Leaves,
  now: Date,
): string {
  return `${title}
Made by Waybill at ${now.toISOString()}.

summary.html is for people; its last table says what proves each file. The JSON files have the same for programs.
attestations/ and evidence/, if there are any, have reports and their files.
log/ has each event as it was recorded (body and salt), its leaf, and the proof that the leaf is in the log
${origin} of ${size} leaves. log/checkpoint is the log as it was signed.
parts/ has contents that leaves commit to, such as parts/46/report of leaf 46.
manifest.sha256 has the sum of every file. seal/ has the leaf that names the sum of this manifest, and its proof: the
operator cannot deny this package, and nobody can change it unseen.

To verify, with the public key of the log from somebody you trust:
  waybill verify this-package.tgz --vkey <key>
It exits with 0 if all is shown, 1 if something is false, and 2 if it cannot be judged. It names what proves each file,
and what only the operator says.
To compare the sums alone: sha256sum -c manifest.sha256

The proofs show that what is here was recorded. They do not show that nothing was left out: for that, download the
whole log with \`waybill log fetch\` and verify it. Events that confirm unchanged environments are left out.
`
}
