// PUT /environments/{org}/{env_name}/report/<type>: reports all running artifacts. Anything missing from a report has
// exited, unless the report is partial. A report equal to the last one costs a single statement.

import { type TSchema, Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { FINGERPRINT } from '../../domain/names.ts'
import { normalizeReport, type ReportableType } from '../../domain/snapshot/report.ts'
import { recordConfirmed } from '../../evaluation/confirmed.ts'
import type { EvaluationTools } from '../../evaluation/evaluate-artifacts.ts'
import { hashReport, saveReport } from '../../evaluation/report.ts'
import { reportAgain, toReportedRow } from '../../evaluation/snapshot-store.ts'
import type { LeafReceipt } from '../../events/leaf-receipt.ts'
import { assert } from '../../lib/assert.ts'
import { invalid } from '../../lib/errors.ts'
import { type AnsweredReport, LARGE_REPORT_BYTES, type LargeReport } from '../large-reports.ts'
import { LIMITS } from '../limits.ts'
import { Answer, type Caller, defineOperation, type Operation } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { EXAMPLE_FINGERPRINT, EXAMPLE_TIME } from '../shared/examples.ts'
import { about, Closed, Described, Nullable, OK, toEpoch } from '../shared/wire.ts'
import { noSuchEnvironment, requireActive } from './problems.ts'
import { AlternateDigests, ReportAnswer, readView, type SentReport, VIEW_FIELDS } from './report-view.ts'
import { EnvironmentPath } from './wire.ts'

const MAX_ARTIFACTS = 50_000
const MAX_DIGESTS = 1_000
/** The last second of the year 9999. */
const MAX_SECONDS = 253_402_300_799

const Text = Type.String({ maxLength: 4096 })

/** Maps names to fingerprints. Some reporters do not know every fingerprint and send an empty one. */
const Digests = (title: string, mayBeEmpty: boolean) =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    title,
    propertyNames: { type: 'string', minLength: 1, maxLength: 4096 },
    additionalProperties: { type: 'string', pattern: mayBeEmpty ? `(${FINGERPRINT})|(^$)` : FINGERPRINT },
    maxProperties: MAX_DIGESTS,
    ...about(
      mayBeEmpty
        ? 'Image or file names, each with its SHA-256 digest; empty if unknown'
        : 'Image or file names, each with its SHA-256 digest',
      { 'registry.example.com/backend:1.4.2': EXAMPLE_FINGERPRINT },
    ),
  })
const KnownDigests = Digests('Digests', false)
const DigestsOrEmpty = Digests('DigestsOrEmpty', true)
const CreationTimestamp = Type.Integer({
  minimum: 0,
  maximum: MAX_SECONDS,
  ...about('Start time, in epoch seconds', EXAMPLE_TIME),
})

/** The fields of every element besides its digests. */
const INSTANCE = {
  creationTimestamp: CreationTimestamp,
  alternate_digests: Type.Optional(AlternateDigests),
}

const Owners = Nullable(
  Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 100 }),
  about('Owners of the pod; null if not reported', null),
)

const ELEMENTS = {
  K8S: Closed('ReportedPod', {
    podName: Described(Text, 'Name of the pod', 'backend-7d4f'),
    namespace: Described(Text, 'Namespace of the pod', 'default'),
    digests: KnownDigests,
    owners: Type.Optional(Owners),
    ...INSTANCE,
  }),
  ECS: Closed('ReportedTask', {
    taskArn: Described(Text, 'ARN of the task', 'arn:task/backend/1'),
    cluster_name: Type.Optional(Nullable(Text, about('Name of the cluster; null if not reported', 'main'))),
    service_name: Type.Optional(
      Nullable(Text, about('Name of the service; null if there is none', 'backend')),
    ),
    digests: DigestsOrEmpty,
    ...INSTANCE,
  }),
  lambda: Closed('ReportedFunction', { digests: KnownDigests, ...INSTANCE }),
  S3: Closed('ReportedBucket', { digests: KnownDigests, ...INSTANCE }),
  docker: Closed('ReportedContainer', { digests: KnownDigests, ...INSTANCE }),
  server: Closed('ReportedPath', { digests: KnownDigests, ...INSTANCE }),
  'cloudx-apps': Closed('ReportedApp', {
    app_name: Described(Text, 'Name of the app', 'backend'),
    app_kind: Described(Text, 'Type of the app', 'app,linux'),
    digests_source: Type.Optional(Described(Text, 'Source of the digests', 'logs')),
    digests: DigestsOrEmpty,
    ...INSTANCE,
  }),
  'cloud-run': Closed('ReportedRun', {
    kind: Type.Optional(Nullable(Text, about('`service` or `job`; null if not reported', 'service'))),
    serviceName: Type.Optional(Nullable(Text, about('Name of the service; null for a job', 'backend'))),
    revisionName: Type.Optional(
      Nullable(Text, about('Name of the revision; null for a job', 'backend-00042')),
    ),
    jobName: Type.Optional(Nullable(Text, about('Name of the job; null for a service', null))),
    digests: DigestsOrEmpty,
    ...INSTANCE,
  }),
} satisfies Record<ReportableType, TSchema>

const NAMES: Record<ReportableType, { id: string; of: string; title: string }> = {
  K8S: { id: 'reportPods', of: 'a Kubernetes cluster or namespace', title: 'PodReport' },
  ECS: { id: 'reportTasks', of: 'a cluster of container tasks', title: 'TaskReport' },
  lambda: { id: 'reportFunctions', of: 'functions', title: 'FunctionReport' },
  S3: { id: 'reportBucket', of: 'a bucket', title: 'BucketReport' },
  docker: { id: 'reportContainers', of: 'a container host', title: 'ContainerReport' },
  server: { id: 'reportPaths', of: 'files and folders of a server', title: 'PathReport' },
  'cloudx-apps': { id: 'reportApps', of: 'web and function apps', title: 'AppReport' },
  'cloud-run': { id: 'reportRuns', of: 'serverless services and jobs', title: 'RunReport' },
}

const EXAMPLES: Partial<Record<ReportableType, Record<string, unknown>>> = {
  K8S: { podName: 'backend-7d9f', namespace: 'default', owners: null },
  ECS: { taskArn: 'arn:task/1', cluster_name: 'main', service_name: 'backend' },
  'cloudx-apps': { app_name: 'backend', app_kind: 'app,linux', digests_source: 'logs' },
  'cloud-run': { kind: 'service', serviceName: 'backend', revisionName: 'backend-00001' },
}

const RECORDED = [
  'snapshot_taken',
  'artifact_started_running',
  'artifact_stopped_running',
  'environment_confirmed',
  'environment_late_report',
] as const

interface ReportOperation extends Operation {
  /** Stores a valid body and returns the response. */
  store(request: ReportRequest, body: unknown, tools: ReportTools): Promise<AnsweredReport>
}

/** The part of a request that storing its report needs. */
type ReportRequest = Omit<LargeReport, 'operation_id' | 'body'> & { receipt: LeafReceipt }

export interface ReportTools extends EvaluationTools {
  readonly db: Database
  readonly base_url: string
}

function buildBody(type: ReportableType, title: string) {
  const artifacts = Type.Array(ELEMENTS[type], {
    maxItems: MAX_ARTIFACTS,
    ...about('All running artifacts; anything missing has exited, unless the report is partial'),
  })
  const ownType = Type.Unsafe<string>({ const: type, ...about('Type of the environment', type) })
  return Closed(title, { type: Type.Optional(ownType), artifacts, ...VIEW_FIELDS })
}

function defineReportOperation(type: ReportableType): ReportOperation {
  const { id, of, title } = NAMES[type]
  const store: ReportOperation['store'] = (request, body, tools) =>
    storeReport(type, body as SentReport, request, tools)
  const operation = defineOperation(
    {
      id,
      method: 'PUT',
      path: `/environments/{org}/{env_name}/report/${type}`,
      tag: 'Reports',
      summary: `Report the running artifacts of ${of}`,
      description:
        'Send all artifacts that run there now; anything missing from the report is treated as stopped. A snapshot ' +
        'is taken when an artifact started or exited. A report without changes updates `last_reported_at`, and the first ' +
        'one of an hour records that the environment is watched. A report with `is_partial` stops nothing. A report that was ' +
        'observed before the newest one is stored as a late report, changes nothing, and is answered with `late`.',
      access: 'snapshotter',
      family: 'report',
      audit: RECORDED,
      params: EnvironmentPath,
      body: buildBody(type, title),
      returns: ReportAnswer,
      answer_headers: ['Location'],
      fails: [400, 403, 404],
      max_body_bytes: LIMITS.environment_report_bytes,
      large_body_bytes: LARGE_REPORT_BYTES,
      example: {
        body: {
          artifacts: [
            {
              digests: { 'backend:1.4.2': EXAMPLE_FINGERPRINT },
              creationTimestamp: EXAMPLE_TIME,
              ...EXAMPLES[type],
            },
          ],
        },
      },
    },
    async (request, deps) => {
      const { params, org, caller, now, request_id, receipt, large_body } = request
      if (!large_body) {
        const { body, headers } = await store(request, request.body, deps)
        return new Answer(200, body, headers)
      }
      const { body, headers, leaves } = await deps.large_reports.store({
        operation_id: id,
        body: large_body,
        params,
        org: { org_id: org.org_id, name: org.name, sponsor: org.sponsor },
        caller: toCallerFacts(caller),
        now,
        request_id,
      })
      receipt.leaves.push(...leaves)
      return new Answer(200, body, headers)
    },
  )
  return { ...operation, store }
}

/** The facts about the caller in events. */
function toCallerFacts({ name, kind, id, credential, key_id }: Caller): LargeReport['caller'] {
  return { name, kind, id, credential, key_id }
}

async function storeReport(
  type: ReportableType,
  sent: SentReport,
  request: ReportRequest,
  tools: ReportTools,
): Promise<AnsweredReport> {
  const { params, org, now } = request
  const { db, base_url } = tools
  const view = readView(sent, now)
  const report = await hashReport(normalizeReport(type, sent.artifacts), view)
  const again = { org_id: org.org_id, env_name: params.env_name, type, ...toReportedRow(report, now), now }
  const [environment] = await db.runOnce({ org_id: org.org_id }, reportAgain, again)
  const found = requireActive(environment, org.name, params.env_name)
  if (found.type !== type) throw wrongType(type, String(found.type), params.env_name)
  const environment_id = String(found.environment_id)
  if (found.is_known) {
    if (found.is_due)
      await db.withTransaction({ org_id: org.org_id }, tx =>
        recordConfirmed(tx, request, tools.ids, environment_id),
      )
    return ACCEPTED
  }
  const stored = await db.withTransaction({ org_id: org.org_id }, tx =>
    saveReport(tx, request, tools, { environment_id, report }),
  )
  if (!stored) throw noSuchEnvironment(params.env_name, org.name)
  if (stored.late_after && view.observed_at) return answerLate(view.observed_at, stored.late_after)
  if (stored.snapshot_index === null) return ACCEPTED
  const path = ['snapshots', org.name, String(found.name), String(stored.snapshot_index)]
  return { body: OK, headers: buildCreatedHeaders(base_url, path) }
}

const ACCEPTED: AnsweredReport = { body: OK, headers: {} }

function answerLate(observed_at: Date, newest_at: Date): AnsweredReport {
  const body = { late: true as const, observed_at: toEpoch(observed_at), newest_at: toEpoch(newest_at) }
  return { body, headers: {} }
}

function wrongType(reported: string, type: string, env_name: string) {
  const sentence =
    type === 'logical'
      ? `Environment '${env_name}' is logical: it does not accept reports; report to its members`
      : `Environment '${env_name}' is of type '${type}' and takes reports of that type only`
  return invalid({ type: `${sentence} [input: ${reported}]` })
}

const reportPods = defineReportOperation('K8S')
const reportTasks = defineReportOperation('ECS')
const reportFunctions = defineReportOperation('lambda')
const reportBucket = defineReportOperation('S3')
const reportContainers = defineReportOperation('docker')
const reportPaths = defineReportOperation('server')
const reportApps = defineReportOperation('cloudx-apps')
const reportRuns = defineReportOperation('cloud-run')

/** The operation with this id, for the thread that stores large reports. */
export function findReport(operation_id: string): ReportOperation {
  const found = [
    reportPods,
    reportTasks,
    reportFunctions,
    reportBucket,
    reportContainers,
    reportPaths,
    reportApps,
    reportRuns,
  ].find(({ contract }) => contract.id === operation_id)
  assert(found, 'only reports have large bodies')
  return found
}

/** In the order of the OpenAPI document. */
export const environmentReports = [
  reportPods,
  reportTasks,
  reportFunctions,
  reportBucket,
  reportContainers,
  reportPaths,
  reportApps,
  reportRuns,
] as const
