// People for tests: users with a mail address and a key, their queued mails, and resources for operations on people.
import { applySetUp } from '../src/admin/apply.ts'
import type { Contract } from '../src/api/operation.ts'
import { withOwnerTransaction } from '../src/db/owner.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { hashSecret, systemSecrets } from '../src/lib/secrets.ts'
import type { Mail } from '../src/mail/mailer.ts'
import { MAIL_PURPOSE } from '../src/mail/queue.ts'
import { type Client, ORG, SECRET_KEY, type TestApp } from './harness.ts'

const sealer = makeSealer(SECRET_KEY)

/** Adds a user with the address `name@example.com`, and makes them a member of acme if a role is given. */
export async function addPerson(app: TestApp, name: string, role?: string): Promise<Client> {
  const secret = systemSecrets.createToken('user').key
  const member = role === undefined ? [] : [{ user: name, role: role as 'admin' }]
  await withOwnerTransaction(app.owner, tx =>
    applySetUp(
      { tx, ids: makeIds(app.clock), secrets: systemSecrets, now: app.clock.now(), changes: [] },
      {
        users: [{ name, email: `${name}@example.com`, api_keys: [{ secret }] }],
        orgs: [{ name: ORG, members: member }],
      },
    ),
  )
  return app.makeClientWith(secret)
}

/** All queued mails, oldest first. */
export async function listQueuedMails(app: TestApp): Promise<Mail[]> {
  const rows = await app.sql("select payload from outbox where kind = 'mail' order by job_id")
  return rows.map(({ payload }) =>
    JSON.parse(sealer.open(MAIL_PURPOSE, (payload as { sealed: string }).sealed) ?? ''),
  )
}

/** The token in the latest mail to an address. */
export async function tokenFor(app: TestApp, email: string): Promise<string> {
  const mail = (await listQueuedMails(app)).filter(({ to }) => to === email).at(-1)
  return /[?#]token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

/** Ids of invitations, by contract and application. */
const invitation_ids = new Map<string, string>()

/** Creates or restores the resources that an operation on people needs. */
export async function preparePeople(contract: Contract, where: TestApp): Promise<void> {
  const { id } = contract
  if (id === 'putMember' || id === 'removeMember') await addPerson(where, 'mia', 'reader')
  if (contract.path.includes('{invitation_id}')) await prepareInvitation(contract, where)
  if (id === 'acceptInvitation') await prepareAcceptance(contract, where)
  if (id === 'deleteOrganization') await reopen(where)
}

export function findInvitationFor(contract: Contract, where: TestApp): Record<string, string> {
  const invitation_id = invitation_ids.get(`${contract.id} ${where.evidence_dir}`)
  return invitation_id === undefined ? {} : { invitation_id }
}

/** Cancels the scheduled deletion of acme. */
export async function reopen(where: TestApp): Promise<void> {
  await where.sql('update orgs set delete_requested_at = null, delete_after = null where name = $1', [ORG])
}

async function prepareInvitation(contract: Contract, where: TestApp): Promise<void> {
  const email = `${contract.id}@example.com`
  await where.admin.post(`/invitations/${ORG}`, { email, role: 'reader' })
  const { body } = await where.admin.get(`/invitations/${ORG}`)
  const { id } = body.find((invitation: { email: string }) => invitation.email === email)
  invitation_ids.set(`${contract.id} ${where.evidence_dir}`, id)
}

/** Stores the token of the example, because no mail has it. */
async function prepareAcceptance(contract: Contract, where: TestApp): Promise<void> {
  const { token = '' } = (contract.example?.body ?? {}) as { token?: string }
  await where.outsider.post('/organizations', { name: 'org-to-join' })
  await where.sql("update users set email = 'ada@example.com' where name = 'ada'")
  await where.sql(`delete from memberships where org_id = (select org_id from orgs where name = 'org-to-join')
    and user_id = (select user_id from users where name = 'ada')`)
  await where.sql(
    `insert into invitations (org_id, invitation_id, email, role, token_hash, invited_by, created_at, sent_at, expires_at)
     select org_id, gen_random_uuid(), 'ada@example.com', 'reader', decode($1, 'hex'), 'oscar', $2, $2,
       $2::timestamptz + interval '1 day'
     from orgs where name = 'org-to-join'
     on conflict (org_id, token_hash) do update set accepted_at = null, accepted_by = null`,
    [hashSecret(token), where.clock.now()],
  )
}
