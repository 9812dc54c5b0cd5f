// POST /custom-attestation-types/{org}: creates a type, or a new version with another schema, rules or summary.

import type { Db } from '../../db/database.ts'
import { listVersionChanges, type TypeVersion } from '../../domain/custom-type/version.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { invalid } from '../../lib/errors.ts'
import { Answer, type Deps, defineOperation } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { buildIdempotencyClaim, refuseOtherContent } from '../shared/idempotency.ts'
import { claimKey } from '../shared/idempotency-store.ts'
import { OK, Ok } from '../shared/wire.ts'
import { toJqOrg } from './jq-org.ts'
import { findVersionProblems, JSON_PART, readVersion } from './read-version.ts'
import * as store from './store.ts'
import { CustomAttestationTypePost, TypesPath } from './wire.ts'

export const createCustomAttestationType = defineOperation(
  {
    id: 'createCustomAttestationType',
    method: 'POST',
    path: '/custom-attestation-types/{org}',
    tag: 'Custom attestation types',
    summary: 'Create a custom attestation type, or a new version of it',
    description:
      'Send multipart with `data_json` and optionally `type_schema`, a JSON Schema (2020-12 by default; 2019-09, ' +
      'draft 7 or draft 6 if `$schema` names it). Or send JSON with `type_schema` as a property. Schema, rules and ' +
      'summary are replaced together: omitting one removes it. A change to any of them makes a new version. An ' +
      'omitted description stays. An archived type is unarchived with the content that you send. Patterns in a ' +
      'schema use RE2 syntax (no look-around), `format` is not checked, and references must stay within the schema.',
    access: 'member',
    audit: ['custom_type_created', 'custom_type_updated'],
    params: TypesPath,
    body: CustomAttestationTypePost,
    form: { json_part: JSON_PART, file_parts: ['type_schema'] },
    returns: Ok,
    answer_headers: ['Location'],
    creates: true,
    fails: [400, 403, 422],
    example: {
      body: {
        name: 'code-coverage',
        description: 'Coverage of the tests, in percent',
        evaluator: { content_type: 'jq', rules: ['.line_coverage >= 80'] },
        summary: [{ name: 'Lines', expression: '.line_coverage' }],
        type_schema: { type: 'object', required: ['line_coverage'] },
      },
    },
  },
  async (request, deps) => {
    const { body, files } = request
    const version = readVersion(body, files.type_schema, deps)
    const errors = await findVersionProblems(version, deps.jq.forOrg(toJqOrg(request.org)))
    if (errors) throw invalid(errors)
    const { org_id } = request.org
    const idempotency = buildIdempotencyClaim(request)
    await deps.db.withTransaction({ org_id }, async tx => {
      const answered_sha256 = await claimKey(tx, org_id, idempotency, request.now)
      refuseOtherContent(answered_sha256, idempotency.request_sha256)
      if (answered_sha256 !== null) return
      const isNew = await create(tx, body, version, request, deps)
      if (!isNew) await update(tx, body, version, request, deps)
    })
    const path = ['custom-attestation-types', request.org.name, body.name]
    return new Answer(201, OK, buildCreatedHeaders(deps.base_url, path))
  },
)

async function create(
  tx: Db,
  { name, description }: CustomAttestationTypePost,
  version: TypeVersion,
  context: RequestContext,
  { ids }: Deps,
): Promise<boolean> {
  const { org, caller, now } = context
  const type_id = ids.next()
  const type = { type_id, name, description: description ?? null, created_by: caller.name }
  if (!(await store.insertType(tx, org.org_id, type, now))) return false
  const first = { ...version, type_id, version: 1, created_by: caller.name }
  await store.insertVersion(tx, org.org_id, first, now)
  await recordEvent(tx, context, ids, { kind: 'custom_type_created', data: { type_name: name, version: 1 } })
  return true
}

async function update(
  tx: Db,
  { name, description }: CustomAttestationTypePost,
  version: TypeVersion,
  context: RequestContext,
  { ids }: Deps,
): Promise<void> {
  const { org, caller, now } = context
  const type = await store.lockType(tx, org.org_id, name)
  assert(type, 'a custom attestation type is never removed or renamed')
  const { type_id } = type
  const latest = await store.getLatestVersion(tx, org.org_id, type_id)
  const changes = listVersionChanges(latest, version)
  const isNewVersion = changes.length > 0
  const revived = type.archived_at !== null
  const next = { type_id, description: description ?? (revived ? null : type.description), now }
  if (next.description !== type.description) changes.unshift('description')
  if (changes.length === 0 && !revived) return
  const number = isNewVersion ? latest.version + 1 : latest.version
  if (isNewVersion) {
    const added = { ...version, type_id, version: number, created_by: caller.name }
    await store.insertVersion(tx, org.org_id, added, now)
  }
  await store.updateType(tx, org.org_id, next)
  const data = { type_name: name, version: number, changes, revived }
  await recordEvent(tx, context, ids, { kind: 'custom_type_updated', data })
}
