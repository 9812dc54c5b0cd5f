// PATCH /tags/{org}/{resource_type}/{resource_id}: sets and removes tags. Removing a missing tag is not an error.
import type { Static } from 'typebox'
import type { Db } from '../../db/database.ts'
import type { Tags } from '../../domain/tags.ts'
import { requestFlowEvaluations } from '../../evaluation/pending-store.ts'
import { type EventInput, recordEvent } from '../../events/record.ts'
import { featureDisabled, invalid } from '../../lib/errors.ts'
import { parseWireId } from '../../lib/ids.ts'
import { noSuchControlToTag } from '../controls/problems.ts'
import { lockControl, setControlTags } from '../controls/store.ts'
import { requireLockedEnvironment } from '../environments/problems.ts'
import { setEnvironmentTags } from '../environments/store.ts'
import { requireActiveFlow } from '../flows/problems.ts'
import { lockFlow, setFlowTags } from '../flows/store.ts'
import { type CallerOrg, defineOperation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { lockRepo, setRepoTags } from '../repos/store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { TagPatch, TagPath } from './wire.ts'

const MAX_TAGS = 100

export const patchTags = defineOperation(
  {
    id: 'patchTags',
    method: 'PATCH',
    path: '/tags/{org}/{resource_type}/{resource_id}',
    tag: 'Tags',
    summary: 'Set and remove tags of a resource',
    description:
      'Identify flows and environments by name, repositories by id and controls by identifier. Tagging a control does not ' +
      'create a version; it is rejected unless the organization has the feature `controls`.',
    access: 'member',
    audit: ['flow_tagged', 'environment_tagged', 'repo_tagged', 'control_tagged'],
    params: TagPath,
    body: TagPatch,
    returns: Ok,
    fails: [400, 403, 404],
    example: { params: { resource_type: 'flow' }, body: { set_tags: { risk: 'high' }, remove_tags: [] } },
  },
  (request, { db, ids }) => {
    const { params, body, org, now } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const tagged = await LOCK_BY_TYPE[params.resource_type](tx, org, params.resource_id)
      const set_tags = body.set_tags ?? {}
      const remove_tags = body.remove_tags ?? []
      const kept = Object.entries(tagged.tags).filter(([key]) => !remove_tags.includes(key))
      const tags = { ...Object.fromEntries(kept), ...set_tags }
      if (Object.keys(tags).length > MAX_TAGS) {
        throw invalid({ set_tags: `A resource can have at most ${MAX_TAGS} tags` })
      }
      await tagged.setTags(tags, now)
      const { data, ...event } = tagged.event
      const { flow_id } = event
      if (flow_id) await requestFlowEvaluations(tx, org.org_id, { flow_id, actor: request.caller.name, now })
      await recordEvent(tx, request, ids, { ...event, data: { ...data, set_tags, remove_tags } })
      return OK
    })
  },
)

/** A locked resource with tags. */
interface Tagged {
  tags: Tags
  setTags(tags: Tags, now: Date): Promise<void>
  /** The event to record, without the change of tags. */
  event: EventInput
}

type Lock = (tx: Db, org: CallerOrg, resource_id: string) => Promise<Tagged>

const LOCK_BY_TYPE: Record<Static<typeof TagPath>['resource_type'], Lock> = {
  flow: lockTaggedFlow,
  flows: lockTaggedFlow,
  env: lockTaggedEnvironment,
  environment: lockTaggedEnvironment,
  environments: lockTaggedEnvironment,
  repo: lockTaggedRepo,
  repos: lockTaggedRepo,
  control: lockTaggedControl,
  controls: lockTaggedControl,
}

async function lockTaggedFlow(tx: Db, org: CallerOrg, flow_name: string): Promise<Tagged> {
  const { flow_id, tags } = requireActiveFlow(await lockFlow(tx, org.org_id, flow_name), org.name, flow_name)
  return {
    tags,
    setTags: (changed, now) => setFlowTags(tx, org.org_id, flow_id, changed, now),
    event: { kind: 'flow_tagged', flow_id, data: {} },
  }
}

async function lockTaggedEnvironment(tx: Db, org: CallerOrg, env_name: string): Promise<Tagged> {
  const { environment_id, tags } = await requireLockedEnvironment(tx, org, env_name)
  return {
    tags,
    setTags: (changed, now) => setEnvironmentTags(tx, org.org_id, environment_id, changed, now),
    event: { kind: 'environment_tagged', environment_id, data: {} },
  }
}

async function lockTaggedRepo(tx: Db, org: CallerOrg, wire_id: string): Promise<Tagged> {
  const repo_id = parseWireId(wire_id)
  const repo = repo_id === undefined ? undefined : await lockRepo(tx, org.org_id, repo_id)
  if (!repo) throw noSuchRepo(wire_id)
  return {
    tags: repo.tags,
    setTags: (changed, now) => setRepoTags(tx, org.org_id, repo.repo_id, changed, now),
    event: { kind: 'repo_tagged', data: { repo_id: wire_id, repo_name: repo.name } },
  }
}

async function lockTaggedControl(tx: Db, org: CallerOrg, identifier: string): Promise<Tagged> {
  if (org.features.controls !== true) throw featureDisabled('controls', org.name)
  const control = await lockControl(tx, org.org_id, identifier)
  if (!control) throw noSuchControlToTag(identifier, org.name)
  const { control_id, tags } = control
  return {
    tags,
    setTags: (changed, now) => setControlTags(tx, org.org_id, control_id, changed, now),
    event: { kind: 'control_tagged', control_id, data: { identifier } },
  }
}
