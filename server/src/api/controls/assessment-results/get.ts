// GET /control-assessment-results/{org}: the decisions of a period, as OSCAL assessment results.
import { Readable } from 'node:stream'
import {
  type AssessedDecision,
  buildOscalAssessmentResults,
} from '../../../domain/control/oscal-assessment.ts'
import { type Period, resolvePeriod } from '../../../domain/period.ts'
import { invalid } from '../../../lib/errors.ts'
import { toWireId } from '../../../lib/ids.ts'
import { Download, defineOperation } from '../../operation.ts'
import { readEpochBounds } from '../../shared/epoch-times.ts'
import { toIdAfter, toIdBefore } from '../../shared/id-bounds.ts'
import { recordDownload } from '../../shared/issued.ts'
import { AssessmentQuery, AssessmentResultsFile } from '../catalogue/wire.ts'
import { ControlsPath, type Site } from '../wire.ts'
import { type DecidedRow, listAssessedControls, listDecisionsInPeriod } from './store.ts'

const DEFAULT_DAYS = 30
const MAX_DECISIONS = 10_000

export const getAssessmentResults = defineOperation(
  {
    id: 'getAssessmentResults',
    method: 'GET',
    path: '/control-assessment-results/{org}',
    tag: 'Controls',
    summary: 'Download decisions as OSCAL assessment results',
    description:
      'Each decision in the period is an observation and each control is a finding. A control is satisfied when it ' +
      'has a decision and the latest decision in every flow is compliant and had not expired at the end of the period. Returns at most 10,000 decisions; if ' +
      'there are more, request a shorter period.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'audit_package_issued',
    audits_at_end: true,
    params: ControlsPath,
    query: AssessmentQuery,
    returns: AssessmentResultsFile,
    download: 'application/json',
    fails: [400, 403],
    example: { query: { from_timestamp: '1769904000' } },
  },
  async (request, deps) => {
    const { query, org, now } = request
    const { db, base_url } = deps
    const { org_id, name } = org
    const { from, to } = readAssessedPeriod(query, now)
    const filter = {
      from_at: from,
      to_at: to,
      from_id: toIdBefore(from),
      to_id: toIdAfter(to),
      limit: MAX_DECISIONS + 1,
    }
    const [controls, rows] = await db.withTransaction({ org_id }, tx =>
      Promise.all([listAssessedControls(tx, org_id), listDecisionsInPeriod(tx, org_id, filter)]),
    )
    if (rows.length > MAX_DECISIONS) {
      const sentence = `The period has more than ${MAX_DECISIONS} decisions; request a shorter one`
      throw invalid({ 'query.from_timestamp': sentence })
    }
    const decisions = rows.map(row => toAssessedDecision(row, { base_url, org: name }))
    const environments = controls[0]?.environments ?? 0
    const document = buildOscalAssessmentResults({
      org: name,
      from,
      to,
      now,
      controls,
      decisions,
      environments,
    })
    const text = JSON.stringify(document)
    const file = `${name}-assessment-results.oscal.json`
    const asked = {
      scope: 'assessment results',
      subject: null,
      from: from.toISOString(),
      to: to.toISOString(),
    }
    const download = new Download(file, Readable.from([text]), Buffer.byteLength(text))
    return recordDownload(download, { ...asked, format: 'json' }, request, deps)
  },
)

/** The period ends now at the latest. */
function readAssessedPeriod(query: { from_timestamp?: number; to_timestamp?: number }, now: Date): Period {
  const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
  const to = to_at && to_at < now ? to_at : now
  const { from } = resolvePeriod({ from: from_at ?? undefined, to }, DEFAULT_DAYS, now)
  if (from > to) {
    const sentence = 'Input should not be later than now'
    throw invalid({ 'query.from_timestamp': `${sentence} [input: ${query.from_timestamp}]` })
  }
  // 30 days before an early date in 1970 would be a negative timestamp.
  return { from: new Date(Math.max(0, from.getTime())), to }
}

function toAssessedDecision(
  { attestation_id, ...row }: DecidedRow,
  { base_url, org }: Site,
): AssessedDecision {
  const decision_id = toWireId(attestation_id)
  const href = `${base_url}/api/v2/attestations/${encodeURIComponent(org)}?attestation_id=${decision_id}`
  return { ...row, decision_id, href }
}
