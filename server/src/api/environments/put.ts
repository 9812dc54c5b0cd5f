// PUT /environments/{org}: creates or changes an environment. The type cannot change.

import type { Db } from '../../db/database.ts'
import { buildMembersRequest, takeLogicalSnapshots } from '../../evaluation/logical-snapshot.ts'
import { recordEvent } from '../../events/record.ts'
import { conflict, invalid } from '../../lib/errors.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { buildCreatedHeaders, CREATED_HEADERS } from '../shared/created-headers.ts'
import { OrgPath } from '../shared/fields.ts'
import { OK, Ok } from '../shared/wire.ts'
import {
  applyDefaults,
  changeEnvironment,
  getDefaultFields,
  lockIncluded,
  type Request,
  type RequestedFields,
} from './change.ts'
import { LOGICAL, replaceMembers } from './members/change.ts'
import type { NamedEnvironment } from './members/store.ts'
import { setPolicies } from './policies/set.ts'
import { buildArchivedName } from './problems.ts'
import * as store from './store.ts'
import { CreateEnvironmentPutInput } from './wire.ts'

export const putEnvironment = defineOperation(
  {
    id: 'putEnvironment',
    method: 'PUT',
    path: '/environments/{org}',
    tag: 'Environments',
    summary: 'Create or update an environment',
    description:
      'Omitted fields keep their values. An empty description also keeps the current one; use PATCH to clear it. ' +
      'The type cannot be changed. An archived environment is restored with the fields of the request and defaults ' +
      'for the rest. If the type differs, it stays archived under another name and a new environment is created.',
    access: 'snapshotter',
    audit: [
      'environment_created',
      'environment_updated',
      'environment_members_changed',
      'policy_attached',
      'policy_detached',
    ],
    params: OrgPath,
    body: CreateEnvironmentPutInput,
    returns: Ok,
    answer_headers: CREATED_HEADERS,
    creates: true,
    fails: [400, 403, 404],
    example: { body: { name: 'staging', type: 'K8S', description: 'The cluster for trying things out' } },
  },
  (request, deps) => {
    const { body, org } = request
    return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
      const members = await lockIncluded(tx, org, body, body)
      const answer = (status: 200 | 201, environment_id: string | undefined) =>
        new Answer(
          status,
          OK,
          buildCreatedHeaders(deps.base_url, ['environments', org.name, body.name], environment_id),
        )
      const created_id = await create(tx, request, deps, members)
      if (created_id) return answer(201, created_id)
      const before = await lockBefore(tx, org.org_id, body.name)
      if (before.archived_at && before.type !== body.type) {
        await store.freeName(tx, org.org_id, body.name, buildArchivedName(body.name, before.archived_at))
        return answer(201, await create(tx, request, deps, members))
      }
      await update(tx, request, deps, before, members)
      return answer(200, before.environment_id)
    })
  },
)

interface Put extends Request {
  readonly body: CreateEnvironmentPutInput
  readonly client_words: ReadonlyMap<string, string>
}

/** An empty description counts as omitted; a new environment starts with an empty one anyway. */
function readRequestedFields({ body, client_words }: Put): RequestedFields {
  const client_type = client_words.get(body.type) ?? null
  return { ...body, client_type, description: body.description || undefined }
}

async function create(
  tx: Db,
  request: Put,
  deps: Deps,
  members: NamedEnvironment[] | undefined,
): Promise<string | undefined> {
  const { body, org, caller, now } = request
  const { name, type } = body
  const { ids } = deps
  const environment_id = ids.next()
  const created: store.NewEnvironment = {
    environment_id,
    name,
    type,
    ...applyDefaults(readRequestedFields(request), getDefaultFields(type)),
    created_by: caller.name,
  }
  const isNew = await store.insertEnvironment(tx, org.org_id, created, now)
  if (!isNew) return undefined
  const combined = await replaceMembers(tx, org.org_id, environment_id, members)
  const included = type === LOGICAL ? { included_environments: combined?.added ?? [] } : {}
  const data = { environment_name: name, type, ...included }
  await recordEvent(tx, request, ids, { kind: 'environment_created', environment_id, data })
  if (combined) await takeLogicalSnapshots(tx, request, ids, buildMembersRequest(environment_id))
  if (body.policies) await setPolicies(tx, request, deps, { environment_id, name }, body.policies)
  return environment_id
}

async function update(
  tx: Db,
  request: Put,
  deps: Deps,
  before: store.LockedEnvironment,
  members: NamedEnvironment[] | undefined,
): Promise<void> {
  const { name, type, policies } = request.body
  if (before.type !== type) {
    throw invalid({
      type: `The environment '${name}' is of type '${before.type}' and cannot become '${type}'`,
    })
  }
  await changeEnvironment(tx, request, deps, before, { ...readRequestedFields(request), members, policies })
}

async function lockBefore(tx: Db, org_id: string, name: string): Promise<store.LockedEnvironment> {
  const before = await store.lockEnvironmentByName(tx, org_id, name)
  // It existed when the insert conflicted, so a concurrent rename has just released the name.
  if (!before) throw conflict(`The environment '${name}' is being renamed; try again`)
  return before
}
