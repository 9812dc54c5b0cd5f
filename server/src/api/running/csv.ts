// GET /running/{org}/csv: the matrix of artifacts and environments as a file, with a line for each version in each
// environment. Reads the names once, then reads and sends what runs under them in parts while the client keeps
// reading.
import { Readable } from 'node:stream'
import type { Database } from '../../db/database.ts'
import { Binary, Download, defineOperation } from '../operation.ts'
import { formatCsv } from '../shared/csv.ts'
import { OrgPath } from '../shared/fields.ts'
import { type MatrixFilter, readMatrixCells, readMatrixFrame } from './store.ts'
import { MatrixFilterQuery, toFilter, toWireArtifacts } from './wire.ts'

const NAMES_PER_CHUNK = 100
const ALL = { limit: null, offset: 0 }

export const getRunningMatrixCsv = defineOperation(
  {
    id: 'getRunningMatrixCsv',
    method: 'GET',
    path: '/running/{org}/csv',
    tag: 'Environments',
    summary: 'Download which artifacts run where',
    description:
      'A CSV file with one row for each version of an artifact in each environment, by name. Cells that a spreadsheet ' +
      'would run as a formula begin with an apostrophe.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: MatrixFilterQuery,
    returns: Binary,
    download: 'text/csv',
    fails: [400, 403],
    example: { query: { differs: 'true' } },
  },
  async ({ query, org, now }, { db }) => {
    const filter = toFilter(query, now)
    return new Download(`${org.name}-running.csv`, Readable.from(streamCsv(db, org.org_id, filter)))
  },
)

const COLUMNS = [
  'artifact',
  'environment',
  'version',
  'is_newest',
  'versions',
  'state',
  'started_at',
  'instances',
  'artifact_name',
  'fingerprint',
  'flow',
  'repositories',
]

async function* streamCsv(db: Database, org_id: string, filter: MatrixFilter): AsyncIterable<string> {
  yield formatCsv([COLUMNS])
  const { names, environments } = await db.withTransaction({ org_id }, tx =>
    readMatrixFrame(tx, org_id, filter, { columns: ALL, rows: ALL }),
  )
  const ids = environments.map(({ environment_id }) => environment_id)
  for (let from = 0; from < names.length; from += NAMES_PER_CHUNK) {
    const chunk = names.slice(from, from + NAMES_PER_CHUNK)
    const cells = await db.withTransaction({ org_id }, tx => readMatrixCells(tx, org_id, ids, chunk))
    yield formatCsv(toWireArtifacts({ names: chunk, environments, ...cells }, filter.now).flatMap(toRows))
  }
}

type WireArtifact = ReturnType<typeof toWireArtifacts>[number]

function toRows({ name, repos, version_count, running }: WireArtifact): (string | number)[][] {
  return running.map(cell => [
    name,
    cell.environment_name,
    cell.version,
    String(cell.is_newest),
    version_count,
    cell.state,
    cell.started_at === null ? '' : new Date(cell.started_at * 1000).toISOString(),
    cell.instance_count,
    cell.artifact_name,
    cell.fingerprint,
    cell.flow,
    repos.join(' '),
  ])
}
