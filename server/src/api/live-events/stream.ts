// GET /events/{org}/stream: changes in the organization, as server-sent events.
import { Type } from 'typebox'
import { defineOperation, EventStream, Events } from '../operation.ts'
import { OrgPath } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'

export const streamEvents = defineOperation(
  {
    id: 'streamEvents',
    method: 'GET',
    path: '/events/{org}/stream',
    tag: 'Live',
    summary: 'Follow changes',
    description:
      'Server-sent events. First comes `opened` with `is_resumed` and `now`, the time of the server. Each `changed` has the ' +
      '`kind` of an event and the names of its `flow`, `trail`, `environment`, `policy` and `control` and the fingerprint of ' +
      'its `artifact`, or null: what it says is read with the other operations. The kinds `environment_reported` and ' +
      '`delivery_finished` have no id, because no log records them. `time` with `now` comes every 15 seconds. To continue ' +
      'where a stream ended, send the last id as `Last-Event-ID`. If `is_resumed` is false, changes may be missing, and ' +
      'everything that was read before must be read again. The stream ends when the caller may no longer read the organization.',
    access: 'reader',
    audit: 'none: reads',
    params: OrgPath,
    query: Closed('EventStreamQuery', {
      follow: Type.Optional(
        Type.Boolean(
          about('Whether to wait for further changes; by default true. With false, the stream ends', false),
        ),
      ),
    }),
    streams: true,
    returns: Events,
    fails: [400, 403],
    example: { query: { follow: 'false' } },
  },
  async ({ org, caller, query, last_event_id, recheck }, { streams }) => {
    const { org_id, sponsor, role } = org
    const reader = { org_id, sponsor, caller_id: caller.id, role, last_event_id, recheck }
    const { follow = true } = query
    return new EventStream(await (follow ? streams.open(reader) : streams.readOnce(reader)))
  },
)
