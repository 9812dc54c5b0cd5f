// Creates or updates a flow, for both PUT operations. Omitted fields keep their values. An archived flow is restored
// with the fields of the request and the defaults of a new flow for the rest.

import type { Db } from '../../db/database.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { conflict } from '../../lib/errors.ts'
import { Answer, type Deps } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { buildWarningHeaders } from '../shared/warnings.ts'
import { OK } from '../shared/wire.ts'
import * as store from './store.ts'
import { buildEmptyTemplate } from './template.ts'
import { listTemplateWarnings } from './warnings.ts'

export interface FlowToSave {
  name: string
  description: string | undefined
  visibility: string | undefined
  template: store.NewTemplate | undefined
}

type FlowContext = RequestContext & { readonly org: { readonly name: string } }

export async function saveFlow(flow: FlowToSave, context: FlowContext, deps: Deps): Promise<Answer<'OK'>> {
  return deps.db.withTransaction({ org_id: context.org.org_id }, async tx => {
    const created_id = await create(tx, flow, context, deps)
    const flow_id = created_id ?? (await update(tx, flow, context, deps))
    const warnings = flow.template
      ? await listWarnings(tx, context.org.org_id, flow.template, context.now)
      : []
    const path = ['flows', context.org.name, flow.name]
    const headers = { ...buildCreatedHeaders(deps.base_url, path, flow_id), ...buildWarningHeaders(warnings) }
    return new Answer(created_id ? 201 : 200, OK, headers)
  })
}

async function listWarnings(tx: Db, org_id: string, template: store.NewTemplate, now: Date) {
  const template_id = await store.saveTemplate(tx, org_id, template, now)
  return listTemplateWarnings(await store.listUnknownTypes(tx, org_id, template_id))
}

/** Returns the id, or undefined if a flow of that name exists. */
async function create(
  tx: Db,
  flow: FlowToSave,
  context: RequestContext,
  { ids }: Deps,
): Promise<string | undefined> {
  const { org, caller, now } = context
  const template_id = await store.saveTemplate(tx, org.org_id, flow.template ?? buildEmptyTemplate(ids), now)
  const created: store.NewFlow = {
    flow_id: ids.next(),
    name: flow.name,
    description: flow.description ?? '',
    visibility: flow.visibility ?? 'private',
    template_id,
    created_by: caller.name,
  }
  const isNew = await store.insertFlow(tx, org.org_id, created, now)
  if (!isNew) return undefined
  const data = { flow_name: flow.name }
  await recordEvent(tx, context, ids, { kind: 'flow_created', flow_id: created.flow_id, data })
  return created.flow_id
}

async function update(tx: Db, flow: FlowToSave, context: RequestContext, { ids }: Deps): Promise<string> {
  const { org, now } = context
  const before = await store.lockFlowByName(tx, org.org_id, flow.name)
  // It existed when the insert conflicted, so a concurrent rename has just released the name.
  if (!before) throw conflict(`The flow '${flow.name}' is being renamed; try again`)
  const { flow_id } = before
  const revived = before.archived_at !== null
  const template = flow.template ?? (revived ? buildEmptyTemplate(ids) : undefined)
  const defaults = revived ? { description: '', visibility: 'private' } : before
  const after = {
    description: flow.description ?? defaults.description,
    visibility: flow.visibility ?? defaults.visibility,
    template_id: template ? await store.saveTemplate(tx, org.org_id, template, now) : before.template_id,
  }
  const changes = (['description', 'visibility', 'template_id'] as const)
    .filter(field => after[field] !== before[field])
    .map(field => (field === 'template_id' ? 'template' : field))
  if (changes.length === 0 && !revived) return flow_id
  const data = { flow_name: flow.name, changes, revived }
  await store.updateFlow(tx, org.org_id, { flow_id, ...after, now })
  await recordEvent(tx, context, ids, { kind: 'flow_updated', flow_id, data })
  return flow_id
}
