// PUT /allowlists/{org}/{env_name}: allows an artifact to run in an environment, whatever its policies say, until the
// entry is removed or expires.

import type { Db } from '../../db/database.ts'
import { evaluateEnvironment } from '../../evaluation/evaluate-environment.ts'
import { markEntryExpired } from '../../evaluation/pending-store.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { SYSTEM_ACTOR } from '../../events/request-context.ts'
import { invalid } from '../../lib/errors.ts'
import type { Ids } from '../../lib/ids.ts'
import { announceAllowed } from '../../notifications/announce.ts'
import { awaitSecondPerson, needsTwoPersons } from '../decisions/two-persons.ts'
import { WaitingDecision } from '../decisions/wire.ts'
import { requireLockedEnvironment } from '../environments/problems.ts'
import { Answer, defineOperation } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { requireDecider } from '../shared/duties.ts'
import { OK, Ok, toEpochOrNull } from '../shared/wire.ts'
import { logicalHasNone } from './problems.ts'
import * as store from './store.ts'
import { AllowListPath, AllowListPut } from './wire.ts'

const MS_PER_SECOND = 1000

export const putAllowListEntry = defineOperation(
  {
    id: 'putAllowListEntry',
    method: 'PUT',
    path: '/allowlists/{org}/{env_name}',
    tag: 'Allow-lists',
    summary: 'Allow an artifact to run in an environment',
    description:
      'The artifact does not have to be reported first. It counts as compliant in this environment, whatever the ' +
      'policies say, until the entry is removed or `expires_at` is reached. Allowing it again replaces the name, ' +
      'the reason and, if sent, the expiry.',
    access: 'member',
    recheck_caller: true,
    audit: ['artifact_allow_listed', 'allow_list_entry_expired', 'decision_asked', 'decision_confirmed'],
    params: AllowListPath,
    body: AllowListPut,
    returns: Ok,
    answer_headers: ['Location'],
    creates: true,
    waits: WaitingDecision,
    fails: [400, 403, 404],
    example: {
      body: {
        artifact_fingerprint: '0d4f1e7ac2b35869f1e7ac2b358690d4f1e7ac2b358690d4f1e7ac2b358690d4',
        artifact_name: 'docker.io/library/postgres:17',
        description: 'Built by its maintainers, reviewed by us',
      },
    },
  },
  async (request, deps) => {
    const { db, ids, base_url } = deps
    const { params, body, org, now } = request
    await requireDecider(db, request, 'allow')
    const { artifact_fingerprint: fingerprint } = body
    const created_by = request.caller.name
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { environment_id, name, type } = await requireLockedEnvironment(tx, org, params.env_name)
      if (type === 'logical') throw logicalHasNone(name)
      const entryKey = { environment_id, environment_name: name, fingerprint }
      const before = await findActiveEntry(tx, request, ids, entryKey)
      const after = buildEntry(before, body, now)
      const headers = buildCreatedHeaders(base_url, ['allowlists', org.name, name])
      if (before && isSame(before, after)) return new Answer(200, OK, headers)
      if (needsTwoPersons(org, 'allow')) {
        const expires_at = toEpochOrNull(after.expires_at)
        const { artifact_name } = after
        const subject = {
          environment_name: name,
          artifact_fingerprint: fingerprint,
          artifact_name,
          expires_at,
        }
        const decision = { kind: 'allow' as const, subject, reason: body.description }
        const waiting = await awaitSecondPerson(tx, request, ids, decision)
        if (waiting) return waiting
      }
      if (before)
        await store.endEntry(tx, org.org_id, { entry_id: before.entry_id, ended_by: created_by, now })
      const added = { entry_id: ids.next(), environment_id, fingerprint, created_by, ...after }
      await store.insertEntry(tx, org.org_id, added, now)
      const entryData = { environment_name: name, artifact_fingerprint: fingerprint, ...after }
      const data = { ...entryData, expires_at: toEpochOrNull(after.expires_at) }
      const row_ids = {
        allow_list_entry: [added, ...(before ? [before] : [])].map(({ entry_id }) => entry_id),
      }
      await recordEvent(tx, request, ids, { kind: 'artifact_allow_listed', environment_id, data, row_ids })
      await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'allow-list' })
      const { artifact_name } = after
      if (!before) await announceAllowed(tx, request, ids, { environment_id, fingerprint, artifact_name })
      return new Answer(before ? 200 : 201, OK, headers)
    })
  },
)

interface EntryKey {
  environment_id: string
  environment_name: string
  fingerprint: string
}

/** Ends an entry that has expired but that no job has ended yet, and records the same event as the job would. */
async function findActiveEntry(
  tx: Db,
  context: RequestContext,
  ids: Ids,
  { environment_id, environment_name, fingerprint }: EntryKey,
): Promise<store.OpenEntry | undefined> {
  const { org_id } = context.org
  const entry = await store.findOpenEntry(tx, org_id, { environment_id, fingerprint })
  if (!entry?.expires_at || entry.expires_at > context.now) return entry
  await markEntryExpired(tx, org_id, entry.entry_id)
  const { artifact_name } = entry
  const data = { environment_name, artifact_fingerprint: fingerprint, artifact_name }
  const expiryContext = { ...context, caller: { name: SYSTEM_ACTOR } }
  await recordEvent(tx, expiryContext, ids, {
    kind: 'allow_list_entry_expired',
    environment_id,
    data,
    row_ids: { allow_list_entry: entry.entry_id },
  })
  return undefined
}

type EntryContent = Pick<store.OpenEntry, 'artifact_name' | 'description' | 'expires_at'>

/** The new content of the entry. An omitted expiry stays as it is, so that a retry never extends it. */
function buildEntry(before: EntryContent | undefined, body: AllowListPut, now: Date): EntryContent {
  const { artifact_name, description, expires_at: seconds } = body
  if (seconds === undefined) return { artifact_name, description, expires_at: before?.expires_at ?? null }
  const expires_at = seconds === null ? null : new Date(seconds * MS_PER_SECOND)
  if (expires_at && expires_at <= now) {
    throw invalid({ expires_at: `Input should be in the future [input: ${seconds}]` })
  }
  return { artifact_name, description, expires_at }
}

function isSame(before: EntryContent, after: EntryContent): boolean {
  return (
    before.artifact_name === after.artifact_name &&
    before.description === after.description &&
    before.expires_at?.getTime() === after.expires_at?.getTime()
  )
}
