// POST /log/{org}/bodies/{index}/erase and /log/{org}/people/{user}/erase: erases records, and records the erasure.
import { Type } from 'typebox'
import { ERASURE_REASONS } from '../../domain/log/erasure.ts'
import { badRequest, notFound } from '../../lib/errors.ts'
import { eraseBody, erasePerson } from '../../log/erase.ts'
import type { LogPlace } from '../../log/erase-store.ts'
import { findLogName } from '../../log/keys-store.ts'
import { defineOperation } from '../operation.ts'
import { OrgName } from '../shared/fields.ts'
import { NextCursor } from '../shared/page.ts'
import { about, Closed, OneOf, Time, toEpoch } from '../shared/wire.ts'
import { Index } from './wire.ts'

const MAX_NAME = 255
const Reason = OneOf(
  [...ERASURE_REASONS],
  about('Why it is erased; recorded with the erasure', 'data_subject_request'),
)

const Erasure = Closed('LogErasure', {
  index: Type.Integer(about('Number of the leaf whose body was erased', 940)),
  erased_by: Type.String(about('User or service account that erased it', 'ada')),
  erased_at: Time('Time when it was erased'),
  reason: Type.String(about('Why it was erased', 'data_subject_request')),
})

export const eraseLogBody = defineOperation(
  {
    id: 'eraseLogBody',
    method: 'POST',
    path: '/log/{org}/bodies/{index}/erase',
    tag: 'Log',
    summary: 'Erase the body of a leaf',
    description:
      'Erases what the event says, its actor, and the report or attachment that came with it. The leaf stays, so all proofs stay valid, and a leaf `body_erased` says who erased it, when and why. This cannot be undone.',
    access: 'admin',
    recheck_caller: true,
    audit: 'body_erased',
    params: Closed('LogErasurePath', { org: OrgName, index: Index }),
    body: Closed('LogErasurePost', { reason: Reason }),
    returns: Erasure,
    fails: [400, 403, 404, 409],
    example: { params: { index: '1' }, body: { reason: 'data_subject_request' } },
  },
  (request, { db, ids }) => {
    const { org, params, body } = request
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const log = await findLogName(tx, org.org_id)
      if (!log) throw notFound(`The log has no leaf ${params.index}`)
      const place = { epoch: log.epoch, index: params.index }
      const { actor, happened_at, reason } = await eraseBody(tx, place, {
        context: request,
        ids,
        reason: body.reason,
      })
      return { index: params.index, erased_by: actor, erased_at: toEpoch(happened_at), reason }
    })
  },
)

const PersonErasure = Closed('LogPersonErasure', {
  erased: Type.Integer(about('Number of bodies that this request erased', 12)),
  next: NextCursor,
})

export const eraseLogPerson = defineOperation(
  {
    id: 'eraseLogPerson',
    method: 'POST',
    path: '/log/{org}/people/{user}/erase',
    tag: 'Log',
    summary: 'Erase the bodies of a person',
    description:
      'Erases the bodies of all leaves whose actor or subject is this person, also of one who has left. A request looks at 1,000 leaves: send it again with `cursor` until `next` is null. This cannot be undone.',
    access: 'admin',
    recheck_caller: true,
    audit: 'body_erased',
    params: Closed('LogPersonErasurePath', {
      org: OrgName,
      user: Type.String({ minLength: 1, maxLength: MAX_NAME, ...about('Name of the person', 'ada') }),
    }),
    body: Closed('LogPersonErasurePost', {
      reason: Reason,
      email: Type.Optional(
        Type.String({
          maxLength: MAX_NAME,
          ...about(
            'An address of the person, to erase invitations and provisioning as well',
            'ada@example.com',
          ),
        }),
      ),
      cursor: Type.Optional(
        Type.String({ maxLength: MAX_NAME, ...about('`next` of the previous response', '1-1000') }),
      ),
    }),
    returns: PersonErasure,
    fails: [400, 403, 404, 409],
    example: { params: { user: 'max' }, body: { reason: 'data_subject_request' } },
  },
  (request, { db, ids }) => {
    const { org, params, body } = request
    const from = parseCursor(body)
    const person = { user: params.user, email: body.email ?? null }
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { erased, next } = await erasePerson(tx, person, from, {
        context: request,
        ids,
        reason: body.reason,
      })
      return { erased, next: next ? `${next.epoch}-${next.index}` : null }
    })
  },
)

function parseCursor({ cursor }: { cursor?: string }): LogPlace {
  if (cursor === undefined) return { epoch: 1, index: 0 }
  const [, epoch, index] = /^(\d{1,9})-(\d{1,15})$/.exec(cursor) ?? []
  if (epoch === undefined) throw badRequest('The cursor is not the `next` of an earlier response')
  return { epoch: Number(epoch), index: Number(index) }
}
