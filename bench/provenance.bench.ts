// Reports artifacts and attestations, the most frequent requests of pipelines, over HTTP with authentication,
// validation, event and verdict, compared with the same statements as a bare pipelined transaction over `pg` on the
// same database.
import { createHash, randomBytes } from 'node:crypto'
import { buildArtifactPipeline } from '../server/src/api/artifacts/batcher.ts'
import type { ReportedArtifact } from '../server/src/api/artifacts/report-store.ts'
import { buildAttestationPipeline } from '../server/src/api/attestations/batcher.ts'
import type { ReportedAttestation } from '../server/src/api/attestations/report-store.ts'
import type { Pipeline } from '../server/src/db/database.ts'
import { EventAuthor } from '../server/src/events/request-context.ts'
import { systemClock } from '../server/src/lib/clock.ts'
import { makeIds } from '../server/src/lib/ids.ts'
import { openBareBatch } from './bare-batch.ts'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { formatRequest, runLoad } from './http-load.ts'
import { print, printRatio, printTitle } from './report.ts'
import { type Phase, runInTurns } from './rounds.ts'

const FLOW = 'measured'
const TRAILS = 400
const TURNS = { rounds: 7, warm_up_ms: 2_000, phase_ms: 1_000 }
const COUNTED_MS = 1_500
const SHA = '9f2c1d0b8a7e6f5d4c3b2a190817263544536271'

const ids = makeIds(systemClock)
let turn = 0
const nextTrailName = () => `trail-${turn++ % TRAILS}`
const hashText = (seed: string) => createHash('sha256').update(seed).digest('hex')

const COMMON = {
  origin_url: 'https://ci.example.com/shop/checkout/pipelines/771204',
  git_commit_info: {
    sha1: SHA,
    branch: 'main',
    author: 'Ada Pereira <ada@example.com>',
    message: 'Round totals',
  },
  user_data: { pipeline: 771204, runner: 'linux-large-07', labels: ['a', 'b', 'c'] },
}

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: FLOW, description: '', template: ['unit-tests'] })
  for (let i = 0; i < TRAILS; i++) await service.put(`/trails/${ORG}/${FLOW}`, { name: `trail-${i}` })
  const bare_artifact = await openBareBatch(service, makeArtifactPipeline)
  const bare_attestation = await openBareBatch(service, makeAttestationPipeline)
  const rates = await runInTurns(
    {
      bare_artifact: bare_artifact.run,
      artifact_16: makeArtifactPhase(service, 16),
      artifact_64: makeArtifactPhase(service, 64),
      bare_attestation: bare_attestation.run,
      attestation_16: makeAttestationPhase(service, 16),
      attestation_64: makeAttestationPhase(service, 64),
    },
    TURNS,
  )
  await bare_artifact.end()
  await bare_attestation.end()
  printTitle(`Report and attest: durable, ${TURNS.rounds} rounds, compared with 16 bare connections`)
  printRatio('artifact, 16 clients / bare pg', rates.artifact_16, rates.bare_artifact, { at_least: 0.7 })
  printRatio('artifact, 64 clients / bare pg', rates.artifact_64, rates.bare_artifact, { at_least: 0.7 })
  printRatio('artifact, 64 clients / 16 clients', rates.artifact_64, rates.artifact_16, { at_least: 1 })
  printRatio('attestation, 16 clients / bare pg', rates.attestation_16, rates.bare_attestation, {
    at_least: 0.7,
  })
  printRatio('attestation, 64 clients / bare pg', rates.attestation_64, rates.bare_attestation, {
    at_least: 0.7,
  })
  printRatio('attestation, 64 clients / 16 clients', rates.attestation_64, rates.attestation_16, {
    at_least: 1,
  })
  await printWaits(service, 'artifact', makeArtifactPhase(service, 1))
  await printWaits(service, 'attestation', makeAttestationPhase(service, 1))
} finally {
  await service.stop()
}

function makeArtifactPhase({ port, key }: BenchService, clients: number): Phase {
  const next = () => {
    const body = {
      ...COMMON,
      origin_url: undefined,
      fingerprint: hashText(randomBytes(16).toString('hex')),
      filename: 'checkout:1',
      git_commit: SHA,
      build_url: 'https://ci.example.com/1',
      commit_url: 'https://git.example.com/1',
      trail_name: nextTrailName(),
      template_reference_name: 'artifact',
    }
    return formatRequest('POST', `/api/v2/artifacts/${ORG}/${FLOW}`, key, JSON.stringify(body))
  }
  return duration_ms => runLoad({ port, clients, next, status: 201, duration_ms })
}

function makeAttestationPhase({ port, key }: BenchService, clients: number): Phase {
  const body = JSON.stringify({ ...COMMON, attestation_name: 'unit-tests', is_compliant: true })
  const next = () =>
    formatRequest('POST', `/api/v2/attestations/${ORG}/${FLOW}/trail/${nextTrailName()}/generic`, key, body)
  return duration_ms => runLoad({ port, clients, next, status: 201, duration_ms })
}

function buildContext() {
  const now = systemClock.now()
  return {
    ordinal: 0,
    flow_name: FLOW,
    trail_name: nextTrailName(),
    actor: 'bench',
    caller_id: ids.next(),
    idempotency_key: null,
    request_sha256: null,
    author: new EventAuthor({ caller: { name: 'bench' }, now, request_id: 'bench' }),
    now: now.toISOString(),
  }
}

function makeArtifactPipeline(org_id: string): Pipeline<unknown> {
  const item: ReportedArtifact = {
    ...buildContext(),
    trail_id: ids.next(),
    trail_event_id: ids.next(),
    trail_event_data: {},
    artifact_id: ids.next(),
    event_id: ids.next(),
    template_reference_name: 'artifact',
    fingerprint: hashText(ids.next()),
    filename: 'checkout:1',
    git_commit: SHA,
    report_id: ids.next(),
    is_compliant: null,
    supersedes_earlier: false,
    template_id: null,
    report: { ...COMMON, build_url: 'https://ci.example.com/1', commit_url: 'https://git.example.com/1' },
  }
  return buildArtifactPipeline(ids, org_id, [item])
}

function makeAttestationPipeline(org_id: string): Pipeline<unknown> {
  const item: ReportedAttestation = {
    ...buildContext(),
    attestation_id: ids.next(),
    event_id: ids.next(),
    artifact_fingerprint: null,
    target_artifacts: [],
    own_names: [],
    attestation_name: 'unit-tests',
    attestation_type: 'generic',
    counts_as_type: 'generic',
    is_compliant: true,
    git_commit: SHA,
    control: null,
    expires_at: null,
    report: COMMON,
    files: [],
  }
  return buildAttestationPipeline(ids, org_id, [item])
}

// With a single client, the worker's polling of the outbox is visible in the result.
async function printWaits(from: BenchService, request: string, phase: Phase): Promise<void> {
  const before = await from.readCounterTotal('waybill_sql_waits_total')
  const { requests } = await phase(COUNTED_MS)
  const after = await from.readCounterTotal('waybill_sql_waits_total')
  print({
    name: `${request}: waits for the database per request, 1 client`,
    value: (after - before) / requests,
    aim: { at_most: 2.1 },
  })
}
