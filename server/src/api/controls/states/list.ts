// GET /control-states/{org}: whether each control is met in each environment, one page of controls by one of environments.
import { Type } from 'typebox'
import { defineOperation } from '../../operation.ts'
import {
  buildLinkedEnvelope,
  ItemsPerPage,
  LINKED_PAGE,
  Page,
  PageCount,
  PageNumber,
  TotalCount,
  toSlice,
} from '../../shared/page.ts'
import { about, Closed } from '../../shared/wire.ts'
import { Control, ControlsPath, PerControlPage, Search } from '../wire.ts'
import { listStateCells, readStatesFrame } from './store.ts'
import { ControlCell, StateEnvironment, toState } from './wire.ts'

const DEFAULT_CONTROLS = 50
const MAX_ENVIRONMENTS = 50
const DEFAULT_ENVIRONMENTS = 20
const MAX_TAGS = 100

const ControlRow = Closed('ControlStates', {
  identifier: Control.properties.identifier,
  name: Control.properties.name,
  environments: Type.Array(ControlCell, about('Its state in each environment of this page, by name')),
})

export const listControlStates = defineOperation(
  {
    id: 'listControlStates',
    method: 'GET',
    path: '/control-states/{org}',
    tag: 'Controls',
    summary: 'Get where controls are met',
    description:
      'The state of each active control in each environment, from the verdicts on what runs there now. Controls are ' +
      'sorted by name. Archived environments and logical ones, which have no policies, are left out.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlsPath,
    query: Closed('ControlStatesQuery', {
      search: Search('Only controls whose name or identifier contains this text (case-insensitive)'),
      environment: Search('Only environments whose name contains this text (case-insensitive)'),
      tag: Type.Optional(
        Type.Array(Type.String(), {
          maxItems: MAX_TAGS,
          ...about('A key or `key:value`. Only environments with at least one of these tags', [
            'team:payments',
          ]),
        }),
      ),
      page: Page,
      per_page: PerControlPage,
      environment_page: Page,
      environment_per_page: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_ENVIRONMENTS,
          ...about(
            `Maximum number of environments; defaults to ${DEFAULT_ENVIRONMENTS}`,
            DEFAULT_ENVIRONMENTS,
          ),
        }),
      ),
    }),
    returns: Closed('ControlStateMatrix', {
      environments: Type.Array(StateEnvironment, about('The environments of this page, by name')),
      environment_page: PageNumber,
      environment_per_page: ItemsPerPage,
      environment_total_pages: PageCount,
      environment_total_count: TotalCount,
      controls: Type.Array(ControlRow, about('The controls of this page, by name')),
      ...LINKED_PAGE,
    }),
    fails: [400, 403],
    example: { query: { page: '1', per_page: '15', environment: 'prod', tag: 'tier:1' } },
  },
  ({ query, org, url, now }, { db }) => {
    const page = { page: query.page ?? 1, per_page: query.per_page ?? DEFAULT_CONTROLS }
    const columns = {
      page: query.environment_page ?? 1,
      per_page: query.environment_per_page ?? DEFAULT_ENVIRONMENTS,
    }
    // Clients send unset filters as empty strings.
    const filter = {
      now,
      search: query.search || null,
      environment: query.environment || null,
      tags: query.tag ?? null,
    }
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const slices = { columns: toSlice(columns), rows: toSlice(page) }
      const frame = await readStatesFrame(tx, org.org_id, filter, slices)
      const ids = frame.environments.map(({ environment_id }) => environment_id)
      const identifiers = frame.controls.map(({ identifier }) => identifier)
      const found = await listStateCells(tx, org.org_id, ids, identifiers)
      const cells = new Map(found.map(cell => [`${cell.environment_id} ${cell.control}`, cell]))
      return {
        environments: frame.environments.map(({ name, type }) => ({ name, type })),
        environment_page: columns.page,
        environment_per_page: columns.per_page,
        environment_total_pages: Math.ceil(frame.environment_total / columns.per_page),
        environment_total_count: frame.environment_total,
        controls: frame.controls.map(({ identifier, name }) => ({
          identifier,
          name,
          environments: frame.environments.map(place => ({
            environment_name: place.name,
            ...toState(cells.get(`${place.environment_id} ${identifier}`), place, now),
          })),
        })),
        ...buildLinkedEnvelope(url, query, page, frame.total),
      }
    })
  },
)
