// PATCH /tags/{org}/{resource_type}/{resource_id}: set and remove tags. Removing one that is not there is fine.
import type { Static } from 'typebox'
import type { Db } from '../../db/database.ts'
import { type Happening, record } from '../../events/record.ts'
import { markArtifactsOfFlow } from '../../judging/marks-store.ts'
import { featureIsOff, invalid } from '../../lib/errors.ts'
import { fromWireId } from '../../lib/ids.ts'
import { noSuchControlToTag } from '../controls/problems.ts'
import { lockControl, setControlTags } from '../controls/store.ts'
import { holdEnvironment } from '../environments/problems.ts'
import { setEnvironmentTags } from '../environments/store.ts'
import { foundFlow } from '../flows/problems.ts'
import { lockFlow, setFlowTags, type Tags } from '../flows/store.ts'
import { type CallerOrg, operation } from '../operation.ts'
import { noSuchRepo } from '../repos/problems.ts'
import { lockRepo, setRepoTags } from '../repos/store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { TagPatch, TagPath } from './wire.ts'

const MAX_TAGS = 100

export const patchTags = operation(
  {
    id: 'patchTags',
    method: 'PATCH',
    path: '/tags/{org}/{resource_type}/{resource_id}',
    tag: 'Tags',
    summary: 'Set and remove tags of a resource',
    description:
      'Flows and environments are named by their names, repositories by their ids, controls by their identifiers. ' +
      'Tagging a control makes no version of it; it is refused while the organization does not have the feature `controls`.',
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
    return db.inTransaction({ org_id: org.org_id }, async tx => {
      const tagged = await LOCKED[params.resource_type](tx, org, params.resource_id)
      const set_tags = body.set_tags ?? {}
      const remove_tags = body.remove_tags ?? []
      const kept = Object.entries(tagged.tags).filter(([key]) => !remove_tags.includes(key))
      const tags = { ...Object.fromEntries(kept), ...set_tags }
      if (Object.keys(tags).length > MAX_TAGS) {
        throw invalid({ set_tags: `A resource can have at most ${MAX_TAGS} tags` })
      }
      await tagged.setTags(tags, now)
      const { data, ...happening } = tagged.happening
      const { flow_id } = happening
      if (flow_id) await markArtifactsOfFlow(tx, org.org_id, { flow_id, actor: request.caller.name, now })
      await record(tx, request, ids, { ...happening, data: { ...data, set_tags, remove_tags } })
      return OK
    })
  },
)

/** Something with tags that nobody else changes meanwhile. */
interface Tagged {
  tags: Tags
  setTags(tags: Tags, now: Date): Promise<void>
  /** What is recorded of it, besides the change. */
  happening: Happening
}

type Lock = (tx: Db, org: CallerOrg, resource_id: string) => Promise<Tagged>

const LOCKED: Record<Static<typeof TagPath>['resource_type'], Lock> = {
  flow: lockedFlow,
  flows: lockedFlow,
  env: lockedEnvironment,
  environment: lockedEnvironment,
  environments: lockedEnvironment,
  repo: lockedRepo,
  repos: lockedRepo,
  control: lockedControl,
  controls: lockedControl,
}

async function lockedFlow(tx: Db, org: CallerOrg, flow_name: string): Promise<Tagged> {
  const { flow_id, tags } = foundFlow(await lockFlow(tx, org.org_id, flow_name), org.name, flow_name)
  return {
    tags,
    setTags: (changed, now) => setFlowTags(tx, org.org_id, flow_id, changed, now),
    happening: { kind: 'flow_tagged', flow_id, data: {} },
  }
}

async function lockedEnvironment(tx: Db, org: CallerOrg, env_name: string): Promise<Tagged> {
  const { environment_id, tags } = await holdEnvironment(tx, org, env_name)
  return {
    tags,
    setTags: (changed, now) => setEnvironmentTags(tx, org.org_id, environment_id, changed, now),
    happening: { kind: 'environment_tagged', environment_id, data: {} },
  }
}

async function lockedRepo(tx: Db, org: CallerOrg, wire_id: string): Promise<Tagged> {
  const repo_id = fromWireId(wire_id)
  const repo = repo_id === undefined ? undefined : await lockRepo(tx, org.org_id, repo_id)
  if (!repo) throw noSuchRepo(wire_id)
  return {
    tags: repo.tags,
    setTags: (changed, now) => setRepoTags(tx, org.org_id, repo.repo_id, changed, now),
    happening: { kind: 'repo_tagged', data: { repo_id: wire_id, repo_name: repo.name } },
  }
}

async function lockedControl(tx: Db, org: CallerOrg, identifier: string): Promise<Tagged> {
  if (org.features.controls !== true) throw featureIsOff('controls', org.name)
  const control = await lockControl(tx, org.org_id, identifier)
  if (!control) throw noSuchControlToTag(identifier, org.name)
  const { control_id, tags } = control
  return {
    tags,
    setTags: (changed, now) => setControlTags(tx, org.org_id, control_id, changed, now),
    happening: { kind: 'control_tagged', control_id, data: { identifier } },
  }
}
