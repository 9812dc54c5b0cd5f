// PUT /flows/{org}/{flow_name}/archive: hides the flow from lists and frees its name. Its history stays.
// PUT /flows/{org}/{flow_name}/unarchive: restores it as it was.
import { recordEvent } from '../../events/record.ts'
import { defineArchiving } from '../shared/archiving.ts'
import { noSuchFlow } from './problems.ts'
import * as store from './store.ts'
import { FlowPath } from './wire.ts'

const FLOW = {
  path: '/flows/{org}/{flow_name}',
  tag: 'Flows',
  access: 'member',
  params: FlowPath,
  lock: store.lockFlow,
  missing: noSuchFlow,
} as const

export const archiveFlow = defineArchiving(FLOW, {
  id: 'archiveFlow',
  verb: 'archive',
  summary: 'Archive a flow',
  description: 'Archiving it again changes nothing. Unarchiving restores it as it was.',
  audit: 'flow_archived',
  change: async (tx, request, { flow_id, name: flow_name }, { ids }) => {
    await store.archiveFlow(tx, request.org.org_id, flow_id, request.now)
    await recordEvent(tx, request, ids, { kind: 'flow_archived', flow_id, data: { flow_name } })
  },
})

export const unarchiveFlow = defineArchiving(FLOW, {
  id: 'unarchiveFlow',
  verb: 'unarchive',
  summary: 'Unarchive a flow',
  description: 'Restores the flow as it was. Changes nothing if it is not archived.',
  audit: 'flow_unarchived',
  change: async (tx, request, { flow_id, name: flow_name }, { ids }) => {
    await store.unarchiveFlow(tx, request.org.org_id, flow_id, request.now)
    await recordEvent(tx, request, ids, { kind: 'flow_unarchived', flow_id, data: { flow_name } })
  },
})
