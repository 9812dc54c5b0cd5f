// PUT /trails/{org}/{flow_name}: begin a trail, or say more about one. Absent keys leave what is stored alone.

import { changedFields } from '../../domain/trail/changes.ts'
import { record } from '../../events/record.ts'
import { markTrails } from '../../judging/marks-store.ts'
import { assert } from '../../lib/assert.ts'
import { toWireId } from '../../lib/ids.ts'
import { announceEvents, announceStep } from '../../notifying/flow-announce-store.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { type NewTemplate, saveTemplate } from '../flows/store.ts'
import { templateFromFile } from '../flows/template.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, operation } from '../operation.ts'
import { reportedRepo, saveRepoOf } from '../repos/store.ts'
import { MADE_HEADERS, madeHeaders } from '../shared/made.ts'
import { OK, Ok } from '../shared/wire.ts'
import { judgeTrails } from './judge-store.ts'
import * as store from './store.ts'
import { TrailPut } from './wire.ts'

export const beginTrail = operation(
  {
    id: 'beginTrail',
    method: 'PUT',
    path: '/trails/{org}/{flow_name}',
    tag: 'Trails',
    summary: 'Begin or update a trail',
    description:
      'Multipart: `data_json` and, optionally, `template_file`; or JSON. A new trail takes the flow’s template of that ' +
      'moment unless it brings its own. Keys that are left out stay as they are.',
    access: 'member',
    family: 'report',
    audit: ['trail_reported', 'trail_updated'],
    params: FlowPath,
    body: TrailPut,
    form: { json_part: 'data_json', file_parts: ['template_file'] },
    returns: Ok,
    answer_headers: MADE_HEADERS,
    creates: true,
    fails: [400, 403, 404],
    example: { body: { name: 'release-42', description: 'The forty-second release' } },
  },
  async (request, deps) => {
    const file = request.files.template_file
    const template = file && templateFromFile(file, deps.ids)
    const occasion = { ...request, flow_name: request.params.flow_name, ...splitName(request.body) }
    const begun = await beginNew(occasion, template, deps)
    const path = ['trails', request.org.name, request.params.flow_name, request.body.name]
    if (begun.trail_id !== null) return new Answer(201, OK, madeHeaders(deps.base_url, path, begun.trail_id))
    const trail_id = await updateExisting(occasion, begun.flow_id, template, deps)
    return new Answer(200, OK, madeHeaders(deps.base_url, path, trail_id))
  },
)

interface TrailOccasion {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
  flow_name: string
  name: string
  fields: store.TrailFields
}

function splitName({ name, ...fields }: { name: string } & store.TrailFields) {
  return { name, fields }
}

async function beginNew(occasion: TrailOccasion, template: NewTemplate | undefined, { db, ids }: Deps) {
  const { org, caller, now, request_id, flow_name, name, fields } = occasion
  const trail: store.NewTrail = {
    flow_name,
    trail_id: ids.next(),
    name,
    template_id: null,
    fields,
    repo: reportedRepo(reportOf(occasion), ids),
    event_id: ids.next(),
    event_data: eventData(occasion),
    actor: caller.name,
    request_id,
    now,
  }
  const told = announceStep(org.org_id, [trail.event_id], now)
  if (!template) return inFlow(await store.beginTrail(db, org.org_id, trail, [told]), occasion)
  return db.inTransaction({ org_id: org.org_id }, async tx => {
    const template_id = await saveTemplate(tx, org.org_id, template, now)
    // Refused in the transaction, so that the template is not kept either.
    const begun = inFlow(await store.beginTrailIn(tx, org.org_id, { ...trail, template_id }), occasion)
    await announceEvents(tx, org.org_id, [trail.event_id], now)
    return begun
  })
}

function reportOf({ flow_name, name, fields }: TrailOccasion) {
  return { flow_name, trail_name: name, repo_info: fields.repo_info, fingerprint: null }
}

function inFlow(begun: store.BegunTrail, { flow_name, org }: TrailOccasion) {
  const { flow_id, trail_id } = begun
  if (flow_id === null) throw noSuchFlow(flow_name, org.name)
  return { flow_id, trail_id }
}

async function updateExisting(
  occasion: TrailOccasion,
  flow_id: string,
  template: NewTemplate | undefined,
  { db, ids }: Deps,
): Promise<string> {
  const { org, now, flow_name, name, fields } = occasion
  return db.inTransaction({ org_id: org.org_id }, async tx => {
    const before = await store.lockTrail(tx, org.org_id, flow_id, name)
    assert(before, 'a trail whose name is taken is there')
    const template_id = template && (await saveTemplate(tx, org.org_id, template, now))
    const { next, changes } = changedFields(before, { ...fields, ...(template_id ? { template_id } : {}) })
    await store.updateTrail(tx, org.org_id, { ...next, now })
    await saveRepoOf(tx, org.org_id, reportOf(occasion), ids, now)
    // Another template may ask for more or for less of what is there.
    const trails = [{ flow_name, trail_name: name }]
    // Sent together, done in this order.
    await Promise.all([
      tx.run(judgeTrails, { org_id: org.org_id, trails, now }),
      tx.run(markTrails, { org_id: org.org_id, trails, actor: occasion.caller.name, now }),
    ])
    const data = { ...eventData(occasion), template_id: next.template_id, changes }
    await record(tx, occasion, ids, { kind: 'trail_updated', flow_id, trail_id: before.trail_id, data })
    return before.trail_id
  })
}

/** What the trail's own history shows of a report: who sent what. */
function eventData({ caller, org, name, fields }: TrailOccasion): Record<string, unknown> {
  const { git_commit_info, repo_info, ...rest } = fields
  return {
    setting_user_id: toWireId(caller.id),
    git_commit_info: git_commit_info ?? null,
    repo_info: repo_info ?? null,
    trail_data_json: { org_id: toWireId(org.org_id), name, creating_user_id: toWireId(caller.id), ...rest },
  }
}
