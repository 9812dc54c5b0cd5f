// PUT /trails/{org}/{flow_name}: begins or updates a trail. Omitted keys keep their values, and a request that changes
// nothing records nothing.

import { applyPatch } from '../../domain/trail/changes.ts'
import { recordEvent } from '../../events/record.ts'
import { EventAuthor } from '../../events/request-context.ts'
import { buildEventsStep } from '../../events/store.ts'
import { assert } from '../../lib/assert.ts'
import { toWireId } from '../../lib/ids.ts'
import { buildAnnounceStep } from '../../notifications/flow-announce-store.ts'
import { noSuchFlow } from '../flows/problems.ts'
import { type NewTemplate, saveTemplate } from '../flows/store.ts'
import { parseTemplateFile } from '../flows/template.ts'
import { FlowPath } from '../flows/wire.ts'
import { Answer, type Caller, type CallerOrg, type Deps, defineOperation } from '../operation.ts'
import { saveReportedRepo, toReportedRepo } from '../repos/store.ts'
import { type Collected, listCollected, omitCollected, refuseWrongTime } from '../shared/collected.ts'
import { buildCreatedHeaders, CREATED_HEADERS } from '../shared/created-headers.ts'
import { OK, Ok } from '../shared/wire.ts'
import { evaluateTrails } from './evaluate.ts'
import * as store from './store.ts'
import { TrailPut } from './wire.ts'

export const beginTrail = defineOperation(
  {
    id: 'beginTrail',
    method: 'PUT',
    path: '/trails/{org}/{flow_name}',
    tag: 'Trails',
    summary: 'Begin or update a trail',
    description:
      'Multipart: `data_json` and, optionally, `template_file`; or JSON. A new trail gets the current template of the flow ' +
      'unless it has its own. Omitted keys keep their values. A request that changes nothing records nothing; ' +
      '`collected_at` and `spooled` alone change nothing.',
    access: 'member',
    family: 'report',
    audit: ['trail_reported', 'trail_updated'],
    params: FlowPath,
    body: TrailPut,
    form: { json_part: 'data_json', file_parts: ['template_file'] },
    returns: Ok,
    answer_headers: CREATED_HEADERS,
    creates: true,
    fails: [400, 403, 404],
    example: { body: { name: 'release-42', description: 'The forty-second release' } },
  },
  async (request, deps) => {
    const file = request.files.template_file
    const template = file && parseTemplateFile(file, deps.ids)
    refuseWrongTime('data_json.collected_at', request.body.collected_at, request.now)
    const context = { ...request, flow_name: request.params.flow_name, ...splitBody(request.body) }
    const begun = await beginNew(context, template, deps)
    const path = ['trails', request.org.name, request.params.flow_name, request.body.name]
    if (begun.trail_id !== null)
      return new Answer(201, OK, buildCreatedHeaders(deps.base_url, path, begun.trail_id))
    const trail_id = await updateExisting(context, begun.flow_id, template, deps)
    return new Answer(200, OK, buildCreatedHeaders(deps.base_url, path, trail_id))
  },
)

interface TrailContext {
  org: CallerOrg
  caller: Caller
  now: Date
  request_id: string
  flow_name: string
  name: string
  fields: store.TrailFields
  collected: Collected
}

function splitBody(body: { name: string } & store.TrailFields & Collected) {
  const { name, ...fields } = omitCollected(body)
  return { name, fields, collected: listCollected(body) }
}

async function beginNew(context: TrailContext, template: NewTemplate | undefined, { db, ids }: Deps) {
  const { org, caller, now, flow_name, name, fields, collected } = context
  const trail: store.NewTrail = {
    flow_name,
    trail_id: ids.next(),
    name,
    template_id: null,
    fields,
    collected_at: collected.collected_at === undefined ? null : new Date(collected.collected_at * 1000),
    spooled: collected.spooled ?? null,
    repo: toReportedRepo(toReport(context), ids),
    actor: caller.name,
    now,
  }
  const event_id = ids.next()
  const buildSteps = (begun: store.NewlyBegun) => [
    buildEventsStep(org.org_id, [
      {
        event_id,
        kind: 'trail_reported',
        ...new EventAuthor(context),
        flow_id: begun.flow_id,
        trail_id: trail.trail_id,
        data: { ...buildEventData(context), template_id: begun.template_id },
        rows: [{ name: 'trail', id: trail.trail_id, content: begun.content }],
      },
    ]),
    buildAnnounceStep(org.org_id, [event_id], now),
  ]
  if (!template) return requireKnownFlow(await store.beginTrail(db, org.org_id, trail, buildSteps), context)
  return db.withTransaction({ org_id: org.org_id }, async tx => {
    const template_id = await saveTemplate(tx, org.org_id, template, now)
    // Thrown inside the transaction, so the template is rolled back too.
    const begun = requireKnownFlow(
      await store.beginTrailIn(tx, org.org_id, { ...trail, template_id }),
      context,
    )
    const { flow_id, content } = begun
    if (begun.trail_id !== null)
      await tx.runSteps(buildSteps({ flow_id, template_id, content: content ?? '' }))
    return begun
  })
}

function toReport({ flow_name, name, fields }: TrailContext) {
  return { flow_name, trail_name: name, repo_info: fields.repo_info, fingerprint: null }
}

function requireKnownFlow(begun: store.BegunTrail, { flow_name, org }: TrailContext) {
  const { flow_id, trail_id, content } = begun
  if (flow_id === null) throw noSuchFlow(flow_name, org.name)
  return { flow_id, trail_id, content }
}

async function updateExisting(
  context: TrailContext,
  flow_id: string,
  template: NewTemplate | undefined,
  { db, ids }: Deps,
): Promise<string> {
  const { org, now, flow_name, name, fields } = context
  return db.withTransaction({ org_id: org.org_id }, async tx => {
    const before = await store.lockTrail(tx, org.org_id, flow_id, name)
    assert(before, 'a trail with a taken name exists')
    const template_id = template && (await saveTemplate(tx, org.org_id, template, now))
    const { next, changes } = applyPatch(before, { ...fields, ...(template_id ? { template_id } : {}) })
    // Before the decision: another trail may have reported the same repository under another name meanwhile.
    await saveReportedRepo(tx, org.org_id, toReport(context), ids, now)
    if (changes.length === 0) return before.trail_id
    await store.updateTrail(tx, org.org_id, { ...next, now })
    // A new template may require more or less of the existing evidence.
    const trails = [{ flow_name, trail_name: name }]
    await evaluateTrails(tx, org.org_id, trails, { actor: context.caller.name, now })
    const data = { ...buildEventData(context), template_id: next.template_id, changes }
    await recordEvent(tx, context, ids, { kind: 'trail_updated', flow_id, trail_id: before.trail_id, data })
    return before.trail_id
  })
}

/** The details of a report in the trail events: who sent what. */
function buildEventData({ caller, org, name, fields, collected }: TrailContext): Record<string, unknown> {
  const { git_commit_info, repo_info, ...rest } = fields
  return {
    setting_user_id: toWireId(caller.id),
    git_commit_info: git_commit_info ?? null,
    repo_info: repo_info ?? null,
    trail_data_json: { org_id: toWireId(org.org_id), name, creating_user_id: toWireId(caller.id), ...rest },
    ...collected,
  }
}
