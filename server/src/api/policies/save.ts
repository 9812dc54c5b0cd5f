// Creates or updates a policy, for both PUTs. A changed text becomes a new version; omitted fields keep their values.
// An archived policy is restored with the content of the request, and without its old description.

import type { Db } from '../../db/database.ts'
import { findUnknownControls } from '../../domain/policy/controls.ts'
import { parsePolicy } from '../../domain/policy/parse.ts'
import { listNamedControls, type Policy } from '../../domain/policy/policy.ts'
import { requestPolicyEvaluations } from '../../evaluation/pending-store.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { assert } from '../../lib/assert.ts'
import { invalid, tooLarge } from '../../lib/errors.ts'
import { parseUtf8 } from '../../lib/utf8.ts'
import { listKnownControls } from '../controls/store.ts'
import { Answer, type CallerOrg, type Deps } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { buildWarningHeaders } from '../shared/warnings.ts'
import { OK } from '../shared/wire.ts'
import * as store from './store.ts'
import { listPolicyWarnings } from './warnings.ts'

const MAX_POLICY_BYTES = 1024 * 1024

export const JSON_PART = 'payload'
export const FILE_PART = 'policy_file'

export interface PolicyToSave {
  name: string
  description: string | undefined
  comment: string | undefined
  policy_yaml: string
}

/** The policy text, from the file or the JSON. `expected` is the field that the error names if both are missing. */
export function readYaml(
  { policy_yaml }: { policy_yaml?: string },
  file: Buffer | undefined,
  expected: typeof FILE_PART | 'policy_yaml',
): string {
  if (file && policy_yaml !== undefined) {
    throw invalid({ [FILE_PART]: 'Send the policy either as a file or in the JSON, not both' })
  }
  const bytes = file?.length ?? Buffer.byteLength(policy_yaml ?? '')
  if (bytes > MAX_POLICY_BYTES) {
    const sentence = `A policy can have at most ${MAX_POLICY_BYTES} bytes`
    throw tooLarge(sentence, { [file ? FILE_PART : 'policy_yaml']: sentence })
  }
  const text = file ? parseUtf8(file) : policy_yaml
  if (text !== undefined) return text
  throw invalid(
    file ? { [FILE_PART]: 'Text is not valid UTF-8' } : { [expected]: 'Field required [input: None]' },
  )
}

type PolicyContext = RequestContext & { readonly org: CallerOrg }

export async function savePolicy(
  sent: PolicyToSave,
  context: PolicyContext,
  deps: Deps,
): Promise<Answer<'OK'>> {
  const result = parsePolicy(sent.policy_yaml)
  if (!result.ok) throw invalid(result.errors)
  const { policy } = result
  return deps.db.withTransaction({ org_id: context.org.org_id }, async tx => {
    await refuseUnknownControls(tx, context.org, policy)
    const created_id = await create(tx, sent, policy, context, deps)
    const policy_id = created_id ?? (await update(tx, sent, policy, context, deps))
    const warnings = await listPolicyWarnings(tx, context.org.org_id, policy)
    const path = ['policies', context.org.name, sent.name]
    const headers = {
      ...buildCreatedHeaders(deps.base_url, path, policy_id),
      ...buildWarningHeaders(warnings),
    }
    return new Answer(created_id ? 201 : 200, OK, headers)
  })
}

/**
 * Archived controls count as known, so a stored policy can always be saved again. If the organization does not use the
 * controls feature, decisions may name any control, so every name is accepted.
 */
export async function refuseUnknownControls(tx: Db, org: CallerOrg, policy: Policy): Promise<void> {
  const named = listNamedControls(policy)
  if (named.length === 0 || org.features.controls !== true) return
  const known = await listKnownControls(tx, org.org_id, named)
  const errors = findUnknownControls(policy, known)
  if (errors) throw invalid(errors)
}

async function create(
  tx: Db,
  { name, description, comment, policy_yaml }: PolicyToSave,
  parsed: Policy,
  context: PolicyContext,
  { ids }: Deps,
): Promise<string | undefined> {
  const { org, caller, now } = context
  const policy_id = ids.next()
  const created_by = caller.name
  const policy = { policy_id, name, description: description ?? '', created_by }
  if (!(await store.insertPolicy(tx, org.org_id, policy, now))) return undefined
  const first = { policy_id, version: 1, comment: comment ?? '', policy_yaml, parsed, created_by }
  await store.insertVersion(tx, org.org_id, first, now)
  await recordEvent(tx, context, ids, {
    kind: 'policy_created',
    policy_id,
    data: { policy_name: name, version: 1 },
    contents: { policy_yaml },
  })
  return policy_id
}

async function update(
  tx: Db,
  { name, comment, policy_yaml, ...sent }: PolicyToSave,
  parsed: Policy,
  context: PolicyContext,
  { ids }: Deps,
): Promise<string> {
  const { org, caller, now } = context
  const before = await store.lockPolicy(tx, org.org_id, name)
  assert(before, 'a policy is never removed or renamed')
  const { policy_id } = before
  const latest = { policy_id, version: before.latest_version }
  const isNewVersion = (await store.getPolicyYaml(tx, org.org_id, latest)) !== policy_yaml
  const revived = before.archived_at !== null
  const description = sent.description ?? (revived ? '' : before.description)
  const changes = [
    ...(isNewVersion ? ['policy_yaml'] : []),
    ...(description === before.description ? [] : ['description']),
  ]
  if (changes.length === 0 && !revived) return policy_id
  const version = before.latest_version + (isNewVersion ? 1 : 0)
  if (isNewVersion) {
    const created_by = caller.name
    const added = { policy_id, version, comment: comment ?? '', policy_yaml, parsed, created_by }
    await store.insertVersion(tx, org.org_id, added, now)
  }
  await store.updatePolicy(tx, org.org_id, { policy_id, description, latest_version: version, now })
  if (isNewVersion) await requestPolicyEvaluations(tx, org.org_id, { policy_id, actor: caller.name, now })
  const data = { policy_name: name, version, changes, revived }
  await recordEvent(tx, context, ids, { kind: 'policy_updated', policy_id, data, contents: { policy_yaml } })
  return policy_id
}
