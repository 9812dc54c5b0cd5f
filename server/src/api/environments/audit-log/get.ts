// GET /environments/{org}/{env_name}/auditlog: all events of an environment, as a CSV file. The file is read and sent
// page by page while the client keeps reading, so it is never in memory as a whole.

import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Database } from '../../../db/database.ts'
import {
  describeEvent,
  type EventKind,
  type EventType,
  toEventKind,
} from '../../../domain/snapshot/annotation.ts'
import { invalid } from '../../../lib/errors.ts'
import { Binary, type CallerOrg, Download, defineOperation } from '../../operation.ts'
import { IncludeArchived } from '../../shared/archived.ts'
import { formatCsv } from '../../shared/csv.ts'
import { PeriodFrom, PeriodTo, readEpochBounds } from '../../shared/epoch-times.ts'
import { listPhysicalEnvironments } from '../../shared/members-store.ts'
import { about, Closed, Naming } from '../../shared/wire.ts'
import { requireEnvironment } from '../problems.ts'
import { EnvironmentPath } from '../wire.ts'
import { type AuditLogFilter, type AuditLogRow, findIdsByNames, listEventsAfter } from './store.ts'

const PAGE_ROWS = 1_000
/** Rows formatted before yielding to the event loop. */
const ROWS_PER_CHUNK = 200
const MAX_NAMES = 100
const NO_PROVENANCE = 'no provenance'
const KINDS: readonly EventKind[] = ['started', 'exited', 'changed']

const TYPES = Object.keys({
  'started-compliant': true,
  'started-non-compliant': true,
  'started-unknown': true,
  exited: true,
  scaled: true,
  'became-compliant': true,
  'became-non-compliant': true,
  'updated-provenance': true,
  changed: true,
} satisfies Record<EventType, true>) as EventType[]

const AuditLogQuery = Closed('AuditLogQuery', {
  archived: IncludeArchived,
  from_timestamp: PeriodFrom,
  to_timestamp: PeriodTo,
  event_types: Type.Optional(Type.String({ description: `Comma-separated list of ${KINDS.join(', ')}` })),
  flow_names: Type.Optional(
    Naming(
      'flows',
      Type.String(
        about(
          'Comma-separated names of flows that the artifact was reported to. Use ' +
            `\`${NO_PROVENANCE}\` for artifacts that were not reported to any flow. Unknown names match nothing`,
          'backend-ci',
        ),
      ),
    ),
  ),
  repo_names: Type.Optional(
    Type.String(
      about(
        'Comma-separated names of repositories that the artifact comes from. Unknown names match nothing',
        'acme/backend',
      ),
    ),
  ),
})

export const getAuditLog = defineOperation(
  {
    id: 'getEnvironmentAuditLog',
    method: 'GET',
    path: '/environments/{org}/{env_name}/auditlog',
    tag: 'Environments',
    summary: 'Download the audit log of an environment',
    description:
      'A CSV file, oldest first, with one row for each artifact that started, exited or changed. Cells that a ' +
      'spreadsheet would run as a formula begin with an apostrophe.',
    access: 'reader',
    audit: 'none: reads',
    params: EnvironmentPath,
    query: AuditLogQuery,
    returns: Binary,
    download: 'text/csv',
    fails: [400, 403, 404],
    example: { query: { from_timestamp: '1700000000', event_types: 'started,exited' } },
  },
  async ({ params, query, org, now }, { db }) => {
    const names = parseNames(query)
    const types = parseEventTypes(query.event_types)
    const { name, environment_ids, last_changed_at } = await findSources(
      db,
      org,
      params.env_name,
      query.archived,
    )
    const { flow_ids, repo_ids } = await findIds(db, org.org_id, names)
    const { from_at, to_at } = readEpochBounds(query, 'from_timestamp', 'to_timestamp')
    // Events that happen while the file is being sent are left out.
    const latest = Math.max(now.getTime(), last_changed_at?.getTime() ?? 0)
    const filter: AuditLogFilter = {
      environment_ids,
      from_at,
      to_at: new Date(Math.min(to_at?.getTime() ?? latest, latest)),
      types,
      flow_ids: names.flow_names === undefined ? null : flow_ids,
      with_unknown: names.flow_names?.includes(NO_PROVENANCE) ?? false,
      repo_ids: names.repo_names === undefined ? null : repo_ids,
    }
    return new Download(`${name}-audit-log.csv`, Readable.from(streamCsv(db, org.org_id, filter)))
  },
)

async function findSources(db: Database, org: CallerOrg, env_name: string, archived?: boolean) {
  return db.withTransaction({ org_id: org.org_id }, async tx => {
    const environment = await requireEnvironment(tx, org, env_name, archived)
    const { name, last_changed_at } = environment
    const sources = await listPhysicalEnvironments(tx, org.org_id, environment)
    return { name, last_changed_at, environment_ids: sources.map(({ environment_id }) => environment_id) }
  })
}

type Names = { flow_names: string[] | undefined; repo_names: string[] | undefined }

async function findIds(db: Database, org_id: string, { flow_names, repo_names }: Names) {
  if (!flow_names && !repo_names) return { flow_ids: [], repo_ids: [] }
  return findIdsByNames(db, org_id, { flow_names: flow_names ?? [], repo_names: repo_names ?? [] })
}

/** Sends the header before reading any events. The loop stops when the client disconnects. */
async function* streamCsv(db: Database, org_id: string, filter: AuditLogFilter): AsyncIterable<string> {
  yield formatCsv([Object.keys(COLUMNS)])
  let last: AuditLogRow | undefined
  for (;;) {
    const rows: AuditLogRow[] = await listEventsAfter(db, org_id, filter, last, PAGE_ROWS)
    for (let from = 0; from < rows.length; from += ROWS_PER_CHUNK) {
      yield formatCsv(rows.slice(from, from + ROWS_PER_CHUNK).map(toCells))
      await new Promise(resolve => setImmediate(resolve))
    }
    last = rows.at(-1)
    if (rows.length < PAGE_ROWS) return
  }
}

const COLUMNS: Record<string, (row: AuditLogRow) => string | number> = {
  timestamp: row => row.happened_at.toISOString(),
  epoch_seconds: row => row.happened_at.getTime() / 1000,
  environment: row => row.environment_name,
  snapshot_index: row => row.snapshot_index,
  event: row => toEventKind(row.type as EventType),
  type: row => row.type,
  description: row => describeEvent(row.type as EventType, row.was, row.now),
  artifact_name: row => row.artifact_name,
  fingerprint: row => row.fingerprint,
  instances_before: row => row.was,
  instances_after: row => row.now,
  artifact_compliance: row => formatCompliance(row.artifact_compliance),
  snapshot_compliance: row => formatCompliance(row.snapshot_compliance),
  flows: row => row.flow_names.join(' '),
  repositories: row => row.repo_names.join(' '),
  code_diff: row => row.code_diff ?? '',
  reasons: row => row.reasons.map(({ description }) => description).join('; '),
  reasons_json: row => JSON.stringify(row.reasons),
}

function toCells(row: AuditLogRow): (string | number)[] {
  return Object.values(COLUMNS).map(cell => cell(row))
}

function formatCompliance(compliant: boolean | null): string {
  return compliant === null ? 'UNKNOWN' : compliant ? 'COMPLIANT' : 'NON-COMPLIANT'
}

function parseNames(query: { flow_names?: string; repo_names?: string }): Names {
  return {
    flow_names: split(query.flow_names, 'flow_names'),
    repo_names: split(query.repo_names, 'repo_names'),
  }
}

/** An empty value counts as omitted: some clients send every parameter they know. */
function split(list: string | undefined, field: string): string[] | undefined {
  if (list === undefined || list === '') return undefined
  const names = list.split(',').map(name => name.trim())
  if (names.length > MAX_NAMES)
    throw invalid({ [`query.${field}`]: `At most ${MAX_NAMES} names are allowed` })
  return names
}

function parseEventTypes(event_types: string | undefined): EventType[] | null {
  const kinds = split(event_types, 'event_types')
  if (!kinds) return null
  const unknown = kinds.find(kind => !KINDS.some(known => known === kind))
  if (unknown !== undefined) {
    const choices = KINDS.map(kind => `'${kind}'`).join(', ')
    throw invalid({ 'query.event_types': `Each should be one of ${choices} [input: ${unknown}]` })
  }
  return TYPES.filter(type => kinds.includes(toEventKind(type)))
}
