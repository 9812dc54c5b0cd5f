// GET /user/profile: the caller's own name and mail address.
import { assert } from '../../lib/assert.ts'
import { defineOperation } from '../operation.ts'
import { findProfile } from './email-store.ts'
import { Profile, toWire } from './wire.ts'

export const getProfile = defineOperation(
  {
    id: 'getProfile',
    method: 'GET',
    path: '/user/profile',
    tag: 'User',
    summary: 'Get the name and mail address of the caller',
    description: 'For people only.',
    access: 'user',
    audit: 'none: reads',
    returns: Profile,
    fails: [403],
  },
  async ({ caller, now }, { db }) => {
    const profile = await findProfile(db, { user_id: caller.id, now })
    assert(profile, 'a caller who was recognised is there')
    return toWire(profile)
  },
)
