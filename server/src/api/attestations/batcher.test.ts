// Reports that arrive together are decided one after the other, as if each had been alone.
import { describe, expect, it } from 'vitest'
import { TRAIL_SUBJECT } from '../../domain/trail/subject.ts'
import { EventAuthor } from '../../events/request-context.ts'
import { systemClock } from '../../lib/clock.ts'
import { makeIds } from '../../lib/ids.ts'
import { buildAttestationPipeline } from './batcher.ts'
import { needsResolving, type ReportedAttestation } from './report-store.ts'

const NOW = new Date('2026-01-01T00:00:00.000Z')

const ids = makeIds(systemClock)
const ORG = ids.next()
const TRAIL = ids.next()
const FLOW = ids.next()

const makeReport = (more: Partial<ReportedAttestation>): ReportedAttestation => ({
  ordinal: 0,
  flow_name: 'ci',
  trail_name: 'release',
  attestation_id: ids.next(),
  event_id: ids.next(),
  artifact_fingerprint: null,
  target_artifacts: [],
  attestation_name: 'tests',
  attestation_type: 'generic',
  counts_as_type: 'generic',
  is_compliant: false,
  git_commit: null,
  control: null,
  expires_at: null,
  report: {},
  files: [],
  actor: 'max',
  own_names: [],
  caller_id: ids.next(),
  idempotency_key: null,
  request_sha256: null,
  author: new EventAuthor({ caller: { name: 'max' }, now: NOW, request_id: 'r' }),
  now: NOW.toISOString(),
  ...more,
})

const makeOverride = (more: Partial<ReportedAttestation>) =>
  makeReport({ attestation_type: 'override', is_compliant: true, actor: 'ada', ...more })

/** The outcomes of these reports on a trail without evidence, and the slots and states that are written. */
function decide(reports: ReportedAttestation[]) {
  const template = { version: 1, trail: { attestations: [], artifacts: [] } }
  const needing = reports.flatMap((report, ordinal) => (needsResolving(report) ? ordinal : []))
  const resolved = needing.map(ordinal => ({
    ordinal,
    own_work_of: null,
    overridden_waiting_id: null,
    is_reattestation: false,
  }))
  const template_id = ids.next()
  const names = { flow_name: 'ci', trail_name: 'release' }
  const { reads, decide: decideOn } = buildAttestationPipeline(ids, ORG, reports)
  const { writes, outcome } = decideOn([
    [{ ...names, trail_id: TRAIL, flow_id: FLOW, template_id, is_announced: false }],
    [{ template_id, template }],
    [],
    [],
    ...(needing.length > 0 ? [resolved] : []),
  ])
  const listValues = (name: string) =>
    (writes.find(step => step.name === name)?.values ?? []).map(value => String(value))
  const [, trail_ids, states] = listValues('trails.save_states')
  const slot = writes.find(step => step.name === 'trails.save_slots')?.values ?? []
  const [, , artifact_ids, , attestation_ids, , , overridden_ids] = slot.map(readLastId)
  return {
    outcome,
    reads: reads.map(({ name }) => name),
    writes: writes.map(({ name }) => name),
    slot: { artifact_id: artifact_ids, attestation_id: attestation_ids, overridden_id: overridden_ids },
    states: trail_ids && `${trail_ids} ${states}`,
  }
}

/** The last id in a column of ids: 16 bytes at its end. */
function readLastId(column: unknown): string {
  const hex = Buffer.from(column as Buffer)
    .subarray(-16)
    .toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

describe('an override that arrives together with its attestation', () => {
  it('overrides it', () => {
    const reported = makeReport({})
    const override = makeOverride({})
    const { slot, states } = decide([reported, override])
    expect(slot).toEqual({
      artifact_id: TRAIL_SUBJECT,
      attestation_id: override.attestation_id,
      overridden_id: reported.attestation_id,
    })
    expect(states).toBe(`${TRAIL} COMPLIANT`)
  })

  it('is replaced by an attestation that follows it', () => {
    const { states } = decide([makeOverride({}), makeReport({})])
    expect(states).toBe(`${TRAIL} NON-COMPLIANT`)
  })

  it('is refused if the same person reported both and duties are separate', () => {
    const { outcome, states } = decide([makeReport({}), makeOverride({ actor: 'max', own_names: ['max'] })])
    expect(outcome.map(({ own_work_of }) => own_work_of)).toEqual([null, 'max'])
    expect(states).toBe(`${TRAIL} NON-COMPLIANT`)
  })
})

describe('a batch of refused reports', () => {
  it('writes nothing', () => {
    const { outcome, writes, states } = decide([makeReport({ artifact_fingerprint: 'f'.repeat(64) })])
    expect(outcome).toMatchObject([{ is_artifact_known: false }])
    expect([writes, states]).toEqual([[], undefined])
  })
})

describe('a batch of reports about trails', () => {
  it('reads only the trails, and announces nothing in a flow without notifications', () => {
    const { reads, writes } = decide([makeReport({}), makeReport({ attestation_name: 'scan' })])
    expect(reads).toEqual([
      'trails.lock_named',
      'trails.read_templates',
      'trails.read_builds',
      'trails.read_slots',
    ])
    expect(writes).toEqual([
      'attestations.insert',
      'trails.save_slots',
      'events.append',
      'trails.save_states',
    ])
  })

  it('reads used keys only if a report has one, and more only about overrides and artifacts', () => {
    const keyed = decide([makeReport({ idempotency_key: 'once', request_sha256: 'x' })])
    expect(keyed.reads.slice(4)).toEqual(['idempotency.read_keys'])
    expect(decide([makeOverride({})]).reads.slice(4)).toEqual(['attestations.resolve_reports'])
    const about = decide([makeReport({ target_artifacts: ['image'], git_commit: 'a'.repeat(40) })])
    expect(about.reads.slice(4)).toEqual(['attestations.resolve_reports'])
  })
})
