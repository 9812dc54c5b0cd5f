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
import { awaitSecondPerson, type DecisionContext } from '../decisions/two-persons.ts'
import { type ConfirmedDecision, WaitingDecision } from '../decisions/wire.ts'
import { requireLockedEnvironment } from '../environments/problems.ts'
import { Accepted, Answer, type Deps, defineOperation } from '../operation.ts'
import { buildCreatedHeaders } from '../shared/created-headers.ts'
import { canNeedTwoPersons, listOwnNames, needsSecondPerson, requireDecider } from '../shared/duties.ts'
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
    audit: [
      'artifact_allow_listed',
      'allow_list_entry_expired',
      'decision_asked',
      'decision_confirmed',
      'decision_lapsed',
    ],
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
    const own_names = await listOwnNames(db, request)
    const { artifact_fingerprint: fingerprint } = body
    return db.withTransaction({ org_id: org.org_id }, async tx => {
      const { environment_id, name, type } = await requireLockedEnvironment(tx, org, params.env_name)
      if (type === 'logical') throw logicalHasNone(name)
      const entryKey = { environment_id, environment_name: name, fingerprint }
      const before = await findActiveEntry(tx, request, ids, entryKey)
      const after = buildEntry(before, body, now)
      const headers = buildCreatedHeaders(base_url, ['allowlists', org.name, name])
      if (before && isSame(before, after)) return new Answer(200, OK, headers)
      const change = { ...entryKey, entry_id: ids.next(), before, after, own_names }
      const decided = await decide(tx, request, ids, change)
      if (decided instanceof Accepted) return decided
      await storeEntry(tx, request, deps, { ...change, decided })
      return new Answer(before ? 200 : 201, OK, headers)
    })
  },
)

interface EntryChange extends EntryKey {
  entry_id: string
  before: store.OpenEntry | undefined
  after: EntryContent
}

type AllowRequest = DecisionContext & RequestContext

async function decide(
  tx: Db,
  request: AllowRequest,
  ids: Ids,
  { own_names, before, after, ...change }: EntryChange & { own_names: string[] },
): Promise<Accepted | ConfirmedDecision | undefined> {
  const { org } = request
  const { org_id } = org
  const { environment_id, environment_name, fingerprint: artifact_fingerprint, entry_id } = change
  if (!canNeedTwoPersons(org, 'allow')) return undefined
  const policies = await store.listPoliciesInForce(tx, org_id, environment_id)
  const { artifact_name, description } = after
  const entry = { artifact_fingerprint, artifact_name, expires_at: toEpochOrNull(after.expires_at) }
  return awaitSecondPerson(tx, request, ids, {
    kind: 'allow',
    subject: { environment_name, ...entry },
    subject_ids: { environment_id, ...entry },
    basis: { kind: 'allow', entry_id: before?.entry_id ?? null, policies },
    reason: description,
    result_id: entry_id,
    needs_two: await needsSecondPerson(tx, org, {
      kind: 'allow',
      environment_id,
      own_names,
      is_permissive: true,
    }),
  })
}

async function storeEntry(
  tx: Db,
  request: AllowRequest,
  deps: Deps,
  { before, after, decided, ...change }: EntryChange & { decided: ConfirmedDecision | undefined },
): Promise<void> {
  const { org, caller, now } = request
  const { org_id } = org
  const { entry_id, environment_id, environment_name, fingerprint } = change
  const { artifact_name } = after
  if (before) await store.endEntry(tx, org_id, { entry_id: before.entry_id, ended_by: caller.name, now })
  const added = { entry_id, environment_id, fingerprint, created_by: caller.name, ...after }
  await store.insertEntry(tx, org_id, added, now)
  const data = {
    environment_name,
    artifact_fingerprint: fingerprint,
    ...after,
    expires_at: toEpochOrNull(after.expires_at),
    ...(decided && { confirmed_decision: decided }),
  }
  const row_ids = { allow_list_entry: [entry_id, ...(before ? [before.entry_id] : [])] }
  const event = { kind: 'artifact_allow_listed', environment_id, data, row_ids } as const
  await recordEvent(tx, request, deps.ids, event)
  await evaluateEnvironment(tx, request, deps, { environment_id, cause: 'allow-list' })
  if (before) return
  await announceAllowed(tx, request, deps.ids, { environment_id, fingerprint, artifact_name })
}

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
