// GET /badges/{token}.svg: the picture. A token that is unknown, revoked or served by another cell gets the same 404,
// which names nothing.
import type { Db } from '../../db/database.ts'
import {
  type BadgeState,
  decideEnvironmentBadge,
  decideFlowBadge,
  decideGateBadge,
} from '../../domain/badge/state.ts'
import type { ComplianceState } from '../../domain/trail/evaluate.ts'
import { AppError, notFound, OrgMoved } from '../../lib/errors.ts'
import { hashSecret, parseTokenKind } from '../../lib/secrets.ts'
import { evaluateAssertion } from '../asserts/evaluate.ts'
import { findEnvironment } from '../environments/store.ts'
import { findFlow } from '../flows/store.ts'
import { Binary, type Deps, defineOperation, Picture } from '../operation.ts'
import { drawBadge } from './picture.ts'
import * as store from './store.ts'
import { chooseLabel, PicturePath } from './wire.ts'

/** How long clients may keep a picture: a changed state may show this many seconds late. */
const MAX_AGE_S = 60

export const getBadge = defineOperation(
  {
    id: 'getBadge',
    method: 'GET',
    path: '/badges/{token}.svg',
    tag: 'Badges',
    summary: 'Get the picture of a badge',
    description:
      'Says compliant, non-compliant, stale or unknown. Everything doubtful is unknown: no policy, no report, a ' +
      `partial view, an overdue evaluation, an incomplete trail, something archived. May be kept for ${MAX_AGE_S} seconds.`,
    access: 'public',
    audit: 'none: reads',
    params: PicturePath,
    returns: Binary,
    download: 'image/svg+xml',
    fails: [404],
  },
  async ({ params, now }, deps) => {
    const found =
      parseTokenKind(params.token) === 'badge'
        ? await store.findBadgeBySecret(deps.db, hashSecret(params.token))
        : undefined
    const badge = found && (await readBadge(found, now, deps))
    if (!badge) throw notFound('There is no such badge')
    return new Picture(drawBadge(badge.label, badge.state), MAX_AGE_S)
  },
)

interface ReadBadge {
  label: string
  state: BadgeState
}

async function readBadge(found: store.FoundBadge, now: Date, deps: Deps): Promise<ReadBadge | undefined> {
  try {
    return await deps.db.withTransaction({ org_id: found.org_id }, async tx => {
      const watched = await store.findWatchedBadge(tx, found)
      if (!watched) return undefined
      const state = await decideState(tx, found.org_id, watched, { ...deps, now })
      return { label: chooseLabel(watched), state }
    })
  } catch (error) {
    // Another cell serves the organization, and has the badge too.
    if (error instanceof OrgMoved) return undefined
    throw error
  }
}

async function decideState(
  tx: Db,
  org_id: string,
  watched: store.WatchedBadge,
  deps: Deps & { now: Date },
): Promise<BadgeState> {
  const { environment_name, flow_name, fingerprint } = watched
  if (flow_name !== null) return readFlow(tx, org_id, flow_name)
  if (environment_name === null) return 'unknown'
  if (fingerprint !== null) return readGate(tx, org_id, { ...watched, environment_name, fingerprint }, deps)
  const environment = await findEnvironment(tx, org_id, environment_name)
  if (!environment) return 'unknown'
  return decideEnvironmentBadge({ ...environment, is_archived: environment.archived_at !== null }, deps.now)
}

async function readFlow(tx: Db, org_id: string, flow_name: string): Promise<BadgeState> {
  const flow = await findFlow(tx, org_id, flow_name)
  if (!flow) return 'unknown'
  const latest_state = flow.latest_state as ComplianceState | null
  return decideFlowBadge({ latest_state, is_archived: flow.archived_at !== null })
}

async function readGate(
  tx: Db,
  org_id: string,
  {
    org_name,
    environment_name,
    fingerprint,
  }: { org_name: string; environment_name: string; fingerprint: string },
  deps: Deps & { now: Date },
): Promise<BadgeState> {
  const requested = { prefix: fingerprint, flow_name: null, environment_name, policy_names: [] }
  try {
    const found = await evaluateAssertion(tx, { org_id, name: org_name }, requested, deps)
    return decideGateBadge(found)
  } catch (error) {
    // The artifact is in no flow, or the environment is archived: there is nothing to evaluate.
    if (error instanceof AppError && error.status === 404) return decideGateBadge(undefined)
    throw error
  }
}
