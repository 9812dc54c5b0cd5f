// PUT /user/settings/time-zone: how the caller wants to see times. The web app reads it with the session.
import { defineOperation } from '../operation.ts'
import { OK, Ok } from '../shared/wire.ts'
import { setTimeZone as store } from './store.ts'
import { TimeZonePut } from './wire.ts'

export const setTimeZone = defineOperation(
  {
    id: 'setTimeZone',
    method: 'PUT',
    path: '/user/settings/time-zone',
    tag: 'User',
    summary: 'Set the time zone in which the caller sees times',
    description: 'For people only. It changes what the web app shows, and nothing in the API or in files.',
    access: 'user',
    audit: 'none: own settings',
    body: TimeZonePut,
    returns: Ok,
    fails: [400],
    example: { body: { time_zone: 'utc' } },
  },
  async ({ caller, body }, { db }) => {
    await store(db, caller.id, body.time_zone)
    return OK
  },
)
