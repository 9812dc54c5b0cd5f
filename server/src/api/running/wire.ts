// API schemas of the matrix of artifacts and environments.
import { type Static, Type } from 'typebox'
import {
  computeCurrentState,
  ENVIRONMENT_STATES,
  type EnvironmentState,
} from '../../domain/snapshot/staleness.ts'
import { describeVersion, type FirstStart, findNewestVersion } from '../../domain/snapshot/versions.ts'
import { groupBy } from '../../lib/group-by.ts'
import { EXAMPLE_TIME } from '../shared/examples.ts'
import { EnvironmentName, EnvironmentType, FlowNameOrEmpty } from '../shared/fields.ts'
import {
  ItemsPerPage,
  LINKED_PAGE,
  Page,
  PageCount,
  PageNumber,
  PerLinkedPage,
  TotalCount,
} from '../shared/page.ts'
import { about, Closed, Naming, Nullable, OneOf, toEpochOrNull } from '../shared/wire.ts'
import type { MatrixColumn, MatrixFilter, RunningCell, RunningName } from './store.ts'

const MAX_ENVIRONMENTS = 100
const MAX_TAGS = 100
export const DEFAULT_ENVIRONMENTS = 20

const FILTER = {
  search: Type.Optional(
    Type.String(about('Only artifacts whose name contains this text (case-insensitive)', 'backend')),
  ),
  flow: Type.Optional(
    Naming(
      'flow',
      Type.String(
        about('Only artifacts that this flow has reported; an unknown name matches nothing', 'backend-ci'),
      ),
    ),
  ),
  repo: Type.Optional(
    Type.String(about('Only artifacts of this repository; an unknown name matches nothing', 'acme/backend')),
  ),
  state: Type.Optional(
    OneOf([...ENVIRONMENT_STATES], {
      description: 'Only artifacts that are in this state in an environment',
    }),
  ),
  differs: Type.Optional(
    Type.Boolean(about('Whether several versions of the artifact run; both if omitted', true)),
  ),
  environment: Type.Optional(
    Type.String(about('Only environments whose name contains this text (case-insensitive)', 'prod')),
  ),
  tag: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_TAGS,
      ...about('A key or `key:value`. Only environments with at least one of these tags', ['team:payments']),
    }),
  ),
}

export const MatrixFilterQuery = Closed('RunningFilterQuery', FILTER)

export const MatrixQuery = Closed('RunningQuery', {
  ...FILTER,
  page: Page,
  per_page: PerLinkedPage,
  environment_page: Page,
  environment_per_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ENVIRONMENTS,
      ...about(`Maximum number of environments; defaults to ${DEFAULT_ENVIRONMENTS}`, DEFAULT_ENVIRONMENTS),
    }),
  ),
})

const State = (description: string) => OneOf([...ENVIRONMENT_STATES], about(description, 'compliant'))

const RunningCellWire = Closed('RunningVersion', {
  environment_name: EnvironmentName,
  artifact_name: Type.String(about('The name under which it runs', 'registry.example.com/backend:1.4.2')),
  fingerprint: Type.String(about('Its fingerprint; empty if unknown', '')),
  version: Type.String(about('Tag of the image, or the beginning of the fingerprint', '1.4.2')),
  is_newest: Type.Boolean(
    about('Whether it is the version that is new since the shortest time, in any environment', true),
  ),
  state: State('Its state in the environment, by the policies there; stale if the reports stay away'),
  started_at: Nullable(
    Type.Number(about('When it started there, in epoch seconds; null if unknown', EXAMPLE_TIME)),
  ),
  instance_count: Type.Integer(about('Number of running instances', 2)),
  flow: FlowNameOrEmpty,
})

const RunningArtifact = Closed('RunningArtifact', {
  name: Type.String(about('Name of the artifact, without the version', 'registry.example.com/backend')),
  repos: Type.Array(Type.String(), about('Names of the repositories it comes from', ['acme/backend'])),
  version_count: Type.Integer(about('Number of versions that run, in all environments of the filter', 2)),
  environment_count: Type.Integer(about('Number of environments of the filter in which it runs', 3)),
  running: Type.Array(RunningCellWire, about('What runs in the environments of this page')),
})

export const RunningMatrix = Closed('RunningMatrix', {
  environments: Type.Array(
    Closed('RunningMatrixEnvironment', {
      name: EnvironmentName,
      type: EnvironmentType,
      state: State('State of the environment'),
    }),
    about('The environments of this page, by name'),
  ),
  environment_page: PageNumber,
  environment_per_page: ItemsPerPage,
  environment_total_pages: PageCount,
  environment_total_count: TotalCount,
  artifacts: Type.Array(RunningArtifact, about('The artifacts of this page, by name')),
  ...LINKED_PAGE,
})

export function toFilter(query: Static<typeof MatrixFilterQuery>, now: Date): MatrixFilter {
  return {
    // Clients send unset filters as empty strings.
    search: query.search || null,
    flow: query.flow || null,
    repo: query.repo || null,
    environment: query.environment || null,
    tags: query.tag ?? null,
    state: query.state ?? null,
    differs: query.differs ?? null,
    now,
  }
}

export function toWireEnvironments(columns: readonly MatrixColumn[], now: Date) {
  return columns.map(({ name, type, state, stale_at }) => ({
    name,
    type: type as Static<typeof EnvironmentType>,
    state: computeCurrentState(state, stale_at, now),
  }))
}

interface Found {
  names: readonly RunningName[]
  environments: readonly MatrixColumn[]
  running: readonly RunningCell[]
  starts: readonly FirstStart[]
}

export function toWireArtifacts({ names, environments, running, starts }: Found, now: Date) {
  const cells = groupBy(running, ({ row_name }) => row_name)
  const columns = new Map(environments.map(column => [column.environment_id, column]))
  const firsts = new Map(starts.map(start => [start.artifact_key, start]))
  return names.map(({ name, repos, artifact_keys, environments: environment_count }) => {
    const newest = findNewestVersion(artifact_keys.flatMap(key => firsts.get(key) ?? []))
    return {
      name,
      repos,
      version_count: artifact_keys.length,
      environment_count,
      running: (cells.get(name) ?? []).flatMap(cell => {
        const column = columns.get(cell.environment_id)
        return column ? [toWireCell(cell, column, newest, now)] : []
      }),
    }
  })
}

function toWireCell(cell: RunningCell, column: MatrixColumn, newest: string | undefined, now: Date) {
  const state: EnvironmentState = computeCurrentState(cell.compliant, column.stale_at, now)
  return {
    environment_name: column.name,
    artifact_name: cell.name,
    fingerprint: cell.fingerprint,
    version: describeVersion(cell),
    is_newest: cell.artifact_key === newest,
    state,
    started_at: toEpochOrNull(cell.started_at),
    instance_count: cell.instance_count,
    flow: cell.flow ?? '',
  }
}
