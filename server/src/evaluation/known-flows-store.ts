// Each flow's knowledge about artifacts: the trail that counts, and the evidence on it. One statement, whatever the
// number of artifacts.
import type { Db } from '../db/database.ts'
import { defineStatement, json, PLANNED_ONCE, text, texts, uuid } from '../db/statement.ts'
import type { AttestationFact } from '../domain/policy/evaluate.ts'
import { TRAIL_SUBJECT } from '../domain/trail/subject.ts'
import { toWireId } from '../lib/ids.ts'

/** The part of a commit that snapshots show. */
export interface CommitSummary {
  sha1?: string
  message?: string
  author?: string
  branch?: string
  timestamp?: number
  url?: string
}

export interface KnownFlow {
  fingerprint: string
  flow_id: string
  flow_name: string
  flow_tags: Record<string, string>
  trail_id: string | null
  trail_name: string | null
  artifact_id: string
  template_reference_name: string | null
  artifact_state: string
  is_declared_compliant: boolean | null
  reported_by: string
  git_commit: string | null
  commit_url: string | null
  git_commit_info: CommitSummary | null
  annotations: Record<string, string> | null
  repo_id: string | null
  attestations: AttestationFact[]
}

/** The rows of a table travel as JSON, in chunks: PostgreSQL writes and Node reads them faster than columns. */
const CHUNK = 500

const inChunks = (kind: string, row: string, from: string) => `
   select '${kind}' as kind, json_agg(numbered.row) as rows
   from (select json_build_array(${row}) as row, (row_number() over () - 1) / ${CHUNK} as chunk ${from}) numbered
   group by chunk`

// In each flow the trail that began last counts and, if the fingerprint is on it under two names, the artifact that
// is not compliant. One statement, so that all facts are from the same moment; no joins, because every table is read
// by a list of keys, and joining tables without statistics would read them in full.
const facts = defineStatement(
  'evaluation.known_flows',
  { org_id: uuid, fingerprints: texts },
  { kind: text, rows: json<unknown[][]>() },
  `with known as materialized (
     select distinct on (x.fingerprint, x.flow_id) x.fingerprint, x.flow_id, x.trail_id, x.artifact_id,
       x.template_reference_name, x.state, x.is_declared_compliant, x.reported_by, x.git_commit, x.report, x.repo_id,
       first_value(x.artifact_id) over (partition by x.fingerprint, x.flow_id order by x.artifact_id) as first_id
     from artifacts x where x.org_id = :org_id and x.fingerprint = any (:fingerprints::text[])
     order by x.fingerprint, x.flow_id, x.trail_id desc nulls last, (x.state = 'COMPLIANT'), x.artifact_id desc
   ), slots as materialized (
     select s.trail_id, null::uuid as artifact_id, s.attestation_id, s.attestation_name, s.counts_as_type, s.is_compliant,
       s.overridden_attestation_id
     -- For each trail: with any (array), PostgreSQL 15 may read the slots of all trails.
     from (select distinct k.trail_id from known k) k
     cross join lateral (
       select * from evidence_slots x
       where x.org_id = :org_id and x.trail_id = k.trail_id and x.artifact_id = '${TRAIL_SUBJECT}' offset 0
     ) s
     union all
     select s.trail_id, s.artifact_id, s.attestation_id, s.attestation_name, s.counts_as_type, s.is_compliant,
       s.overridden_attestation_id
     from evidence_slots s
     where s.org_id = :org_id and s.artifact_id = any (array(select k.artifact_id from known k))
       and s.artifact_id <> '${TRAIL_SUBJECT}'
   )
   ${inChunks(
     'artifact',
     `k.fingerprint, k.flow_id, k.trail_id, k.artifact_id, k.template_reference_name, k.state, k.is_declared_compliant,
       k.reported_by, k.git_commit, k.report ->> 'commit_url', k.report -> 'git_commit_info', k.report -> 'annotations',
       k.repo_id, k.first_id`,
     'from known k',
   )}
   union all
   ${inChunks(
     'flow',
     'f.flow_id, f.name, f.tags',
     'from flows f where f.org_id = :org_id and f.flow_id = any (array(select distinct k.flow_id from known k))',
   )}
   union all
   ${inChunks(
     'trail',
     't.trail_id, t.name, t.git_commit_info',
     'from trails t where t.org_id = :org_id and t.trail_id = any (array(select k.trail_id from known k))',
   )}
   union all
   ${inChunks(
     'slot',
     `s.trail_id, s.artifact_id, s.attestation_id, s.attestation_name, s.counts_as_type, s.is_compliant,
       s.overridden_attestation_id`,
     'from slots s',
   )}
   union all
   ${inChunks(
     'control',
     'w.attestation_id, w.control, extract(epoch from w.expires_at)::float8',
     `from attestations w where w.org_id = :org_id and w.control is not null and w.attestation_id = any (array(
        select s.attestation_id from slots s union all select s.overridden_attestation_id from slots s))`,
   )}`,
  PLANNED_ONCE,
)

type ArtifactFacts = [
  fingerprint: string,
  flow_id: string,
  trail_id: string | null,
  artifact_id: string,
  template_reference_name: string | null,
  artifact_state: string,
  is_declared_compliant: boolean | null,
  reported_by: string,
  git_commit: string | null,
  commit_url: string | null,
  git_commit_info: CommitSummary | null,
  annotations: Record<string, string> | null,
  repo_id: string | null,
  first_id: string,
]
type FlowFacts = [flow_id: string, name: string, tags: Record<string, string>]
type TrailFacts = [trail_id: string, name: string, git_commit_info: CommitSummary | null]
type SlotFacts = [
  trail_id: string,
  /** Null for evidence of the trail itself. */
  artifact_id: string | null,
  attestation_id: string,
  name: string,
  type: string,
  is_compliant: boolean,
  overridden_id: string | null,
]
type ControlFacts = [attestation_id: string, control: string, expires_at: number | null]

/** The facts that flows have about each fingerprint; unknown fingerprints are not in the map. */
export async function findKnownFlows(
  db: Db,
  org_id: string,
  fingerprints: readonly string[],
): Promise<Map<string, KnownFlow[]>> {
  if (fingerprints.length === 0) return new Map()
  const read = await db.run(facts, { org_id, fingerprints: [...fingerprints] })
  const list = <Facts>(wanted: string) =>
    read.flatMap(({ kind, rows }) => (kind === wanted ? (rows as Facts[]) : []))
  const flows = new Map(list<FlowFacts>('flow').map(flow => [flow[0], flow]))
  const trails = new Map(list<TrailFacts>('trail').map(trail => [trail[0], trail]))
  const listAttestations = makeEvidenceFinder(list<SlotFacts>('slot'), list<ControlFacts>('control'))
  // The first flow that reported an artifact built it.
  const artifacts = list<ArtifactFacts>('artifact').sort((a, b) => (a[13] < b[13] ? -1 : 1))
  const byFingerprint = new Map<string, KnownFlow[]>()
  for (const artifact of artifacts) {
    const [fingerprint, flow_id, trail_id, artifact_id] = artifact
    const flow = flows.get(flow_id)
    if (!flow) continue
    const known = toKnownFlow(artifact, flow, trails.get(trail_id ?? ''))
    known.attestations = listAttestations(trail_id, artifact_id)
    const others = byFingerprint.get(fingerprint)
    if (others) others.push(known)
    else byFingerprint.set(fingerprint, [known])
  }
  return byFingerprint
}

function toKnownFlow(artifact: ArtifactFacts, flow: FlowFacts, trail: TrailFacts | undefined): KnownFlow {
  return {
    fingerprint: artifact[0],
    flow_id: artifact[1],
    flow_name: flow[1],
    flow_tags: flow[2],
    trail_id: artifact[2],
    trail_name: trail?.[1] ?? null,
    artifact_id: artifact[3],
    template_reference_name: artifact[4],
    artifact_state: artifact[5],
    is_declared_compliant: artifact[6],
    reported_by: artifact[7],
    git_commit: artifact[8],
    commit_url: artifact[9],
    git_commit_info: artifact[10] ?? trail?.[2] ?? null,
    annotations: artifact[11],
    repo_id: artifact[12],
    attestations: [],
  }
}

/** The evidence on an artifact of a trail and on the trail itself, in the order in which it was reported. */
function makeEvidenceFinder(slots: readonly SlotFacts[], controls: readonly ControlFacts[]) {
  const decisionOf = new Map(controls.map(decision => [decision[0], decision]))
  const bySubject = new Map<string, AttestationFact[]>()
  const sorted = slots.toSorted((a, b) => (a[2] < b[2] ? -1 : 1))
  for (const [trail_id, artifact_id, attestation_id, name, type, is_compliant, overridden_id] of sorted) {
    // An override changes the verdict of a decision, not its expiry.
    const decision = decisionOf.get(attestation_id) ?? decisionOf.get(overridden_id ?? '')
    const fact: AttestationFact = {
      attestation_id: toWireId(attestation_id),
      name,
      type,
      is_compliant,
      control: decision?.[1] ?? null,
      expires_at: decision?.[2] ?? null,
      subject: artifact_id === null ? 'trail' : 'artifact',
    }
    const subject = artifact_id ?? trail_id
    const others = bySubject.get(subject)
    if (others) others.push(fact)
    else bySubject.set(subject, [fact])
  }
  return (trail_id: string | null, artifact_id: string): AttestationFact[] => {
    const own = bySubject.get(artifact_id) ?? []
    const shared = bySubject.get(trail_id ?? '') ?? []
    if (shared.length === 0 || own.length === 0) return own.length === 0 ? shared : own
    return [...own, ...shared].sort((a, b) => (a.attestation_id < b.attestation_id ? -1 : 1))
  }
}
