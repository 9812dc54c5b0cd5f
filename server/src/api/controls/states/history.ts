// GET /controls/{org}/{identifier}/environments/{env_name}/history: when the state of a control in an environment changed.
import { Type } from 'typebox'
import { listStateChanges, type OutcomeInterval } from '../../../domain/control/history.ts'
import { requireEnvironment } from '../../environments/problems.ts'
import { defineOperation } from '../../operation.ts'
import { readSilences } from '../../shared/silences-store.ts'
import { about, Closed, Nullable, Time, toEpoch } from '../../shared/wire.ts'
import { noSuchControl } from '../problems.ts'
import { readControl } from '../store.ts'
import { listHistorySnapshots, listOutcomeIntervals } from './history-store.ts'
import { ControlEnvironmentPath, STATE } from './wire.ts'

const MAX_SNAPSHOTS = 200

const ControlStateChange = Closed('ControlStateChange', {
  at: Time('When the state began'),
  ...STATE,
  snapshot_index: Type.Integer(about('Index of the snapshot in force at that time', 42)),
  cause: Nullable(
    Type.String(),
    about('Why that snapshot was taken; null if the state changed without a snapshot', 'report'),
  ),
  actor: Nullable(Type.String(), about('Who caused that snapshot; null if there was none', 'ci-bot')),
})

export const getControlStateHistory = defineOperation(
  {
    id: 'getControlStateHistory',
    method: 'GET',
    path: '/controls/{org}/{identifier}/environments/{env_name}/history',
    tag: 'Controls',
    summary: 'Get when the state of a control changed',
    description:
      `The states that the control had in the environment in the newest ${MAX_SNAPSHOTS} snapshots, or in those before ` +
      '`before`, newest first. They come from the verdicts that the snapshots recorded and from the times at which the ' +
      'environment was stale. Evaluations that waited at the time are not recorded.',
    access: 'reader',
    feature: 'controls',
    beta: true,
    audit: 'none: reads',
    params: ControlEnvironmentPath,
    query: Closed('ControlStateHistoryQuery', {
      before: Type.Optional(
        Type.Integer({ minimum: 1, ...about('Index of a snapshot: only those before it are read', 40) }),
      ),
    }),
    returns: Closed('ControlStateHistory', {
      identifier: Type.String(about('Identifier of the control', 'SDLC-7')),
      environment_name: Type.String(about('Name of the environment', 'production')),
      changes: Type.Array(
        ControlStateChange,
        about('The states, newest first; the last one may have begun before it is said to'),
      ),
      snapshots: Type.Integer(about('Number of snapshots that were read', 12)),
      silences_known_since: Nullable(
        Time('Times at which the environment was stale are known from here on; null without a snapshot'),
      ),
      next: Nullable(Type.Integer(), about('`before` of the next, older part; null if there is none', null)),
    }),
    fails: [400, 403, 404],
    example: { params: { identifier: 'control-to-read' }, query: { before: '40' } },
  },
  ({ params, query, org, now }, { db }) =>
    db.withTransaction({ org_id: org.org_id }, async tx => {
      const { identifier } = params
      const [environment, control] = await Promise.all([
        requireEnvironment(tx, org, params.env_name),
        readControl(tx, org.org_id, identifier),
      ])
      if (!control) throw noSuchControl(identifier, org.name)
      const { environment_id } = environment
      const page = { environment_id, control: identifier, before: query.before ?? null, limit: MAX_SNAPSHOTS }
      const newest_first = await listHistorySnapshots(tx, org.org_id, page)
      const snapshots = newest_first.toReversed()
      const found = { identifier, environment_name: environment.name, snapshots: snapshots.length }
      const [first] = snapshots
      const last = snapshots.at(-1)
      if (!first || !last) return { ...found, changes: [], silences_known_since: null, next: null }
      const range = {
        environment_id,
        control: identifier,
        first: first.snapshot_index,
        last: last.snapshot_index,
      }
      const [intervals, silent] = await Promise.all([
        listOutcomeIntervals(tx, org.org_id, range),
        readSilences(tx, org.org_id, [environment], { since: first.created_at, now }),
      ])
      const { silences = [], known_since = first.created_at } = silent.get(environment_id) ?? {}
      // An older part ends where the newer one begins.
      const shown =
        query.before === undefined ? silences : silences.filter(({ from }) => from <= last.created_at)
      const changes = listStateChanges(snapshots, intervals as OutcomeInterval[], shown)
      return {
        ...found,
        changes: changes.toReversed().map(({ at, artifacts, ...change }) => {
          const taken = snapshots.find(
            ({ snapshot_index, created_at }) =>
              snapshot_index === change.snapshot_index && created_at.getTime() === at.getTime(),
          )
          return {
            at: toEpoch(at),
            state: change.state,
            unknown_because: change.unknown_because,
            artifact_count: { ...artifacts },
            snapshot_index: change.snapshot_index,
            cause: taken?.cause ?? null,
            actor: taken?.actor ?? null,
          }
        }),
        silences_known_since: toEpoch(known_since),
        next: first.snapshot_index > 1 ? first.snapshot_index : null,
      }
    }),
)
