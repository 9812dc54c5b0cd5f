// `admin apply FILE`: creates or updates users, orgs, members and keys as a YAML file describes them. Idempotent.
import { type Static, Type } from 'typebox'
import { LineCounter, parseDocument } from 'yaml'
import { findOrg } from '../api/orgs/store.ts'
import { Closed, MailAddress, OneOf } from '../api/shared/wire.ts'
import { findUser } from '../api/users/store.ts'
import { ORG_NAME, SERVICE_ACCOUNT_NAME, USER_NAME } from '../domain/names.ts'
import { ROLES } from '../domain/roles.ts'
import { makeBodyShapeCheck } from '../lib/shape.ts'
import { type Admin, AdminProblem } from './actor.ts'
import { importKey, requireAccountOwner, requireUserOwner } from './keys.ts'
import { ensureMember, ensureOrg, ensureServiceAccount, ensureUser } from './people.ts'

const MAX_ALIASES = 100

const Role = OneOf([...ROLES])
const ImportedKeys = Type.Optional(
  Type.Array(
    Closed('ImportedKey', {
      secret: Type.String({ minLength: 20, maxLength: 512, writeOnly: true }),
      description: Type.Optional(Type.String()),
    }),
  ),
)

const SetUp = Closed('SetUp', {
  users: Type.Optional(
    Type.Array(
      Closed('SetUpUser', {
        name: Type.String({ pattern: USER_NAME }),
        email: Type.Optional(MailAddress),
        personal_org: Type.Optional(Type.Boolean()),
        api_keys: ImportedKeys,
      }),
    ),
  ),
  orgs: Type.Optional(
    Type.Array(
      Closed('SetUpOrg', {
        name: Type.String({ pattern: ORG_NAME }),
        kind: Type.Optional(OneOf(['shared', 'personal'])),
        description: Type.Optional(Type.String()),
        members: Type.Optional(Type.Array(Closed('SetUpMember', { user: Type.String(), role: Role }))),
        service_accounts: Type.Optional(
          Type.Array(
            Closed('SetUpServiceAccount', {
              name: Type.String({ pattern: SERVICE_ACCOUNT_NAME, maxLength: 64 }),
              privilege: Type.Optional(Role),
              description: Type.Optional(Type.String()),
              api_keys: ImportedKeys,
            }),
          ),
        ),
        features: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
      }),
    ),
  ),
})
type SetUp = Static<typeof SetUp>
type SetUpOrg = NonNullable<SetUp['orgs']>[number]

/** Reports all mistakes in the file at once. */
export function parseSetUp(text: string): SetUp {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const [syntax] = document.errors
  if (syntax) throw new AdminProblem(`The file is not valid YAML: ${syntax.message.split('\n', 1)[0]}`)
  const value: unknown = document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
  const errors = makeBodyShapeCheck(SetUp)(value, '')
  if (errors) {
    const found = Object.entries(errors).map(([field, sentence]) => `  ${field || 'file'}: ${sentence}`)
    throw new AdminProblem(`The file cannot be applied:\n${found.join('\n')}`)
  }
  return value as SetUp
}

export async function applySetUp(admin: Admin, setUp: SetUp): Promise<void> {
  for (const user of setUp.users ?? []) {
    const { name, email = null, personal_org = true } = user
    await ensureUser(admin, { name, email, personal_org })
    const owner = await requireUserOwner(admin, name)
    for (const key of user.api_keys ?? [])
      await importKey(admin, owner, key.secret, key.description ?? 'imported')
  }
  for (const org of setUp.orgs ?? []) await applyOrg(admin, org)
}

async function applyOrg(admin: Admin, org: SetUpOrg): Promise<void> {
  await (org.kind === 'personal' ? applyPersonalOrg(admin, org) : applySharedOrg(admin, org))
}

/** A personal org has exactly one member, its user. Only its description and features can be set. */
async function applyPersonalOrg(admin: Admin, org: SetUpOrg): Promise<void> {
  const { name, description, features = {} } = org
  if (org.members?.length)
    throw new AdminProblem(
      `The organization ${name} is personal: its user is its only member. Remove members from the file`,
    )
  if (org.service_accounts?.length)
    throw new AdminProblem(
      `The organization ${name} is personal and cannot have service accounts. Remove them from the file`,
    )
  if (!(await findOrg(admin.tx, name)))
    throw new AdminProblem(
      `There is no organization ${name}: a personal organization is created with its user`,
    )
  await ensureOrg(admin, { name, kind: 'personal', description, features })
}

async function applySharedOrg(admin: Admin, org: SetUpOrg): Promise<void> {
  const { name, description, features = {} } = org
  const org_id = await ensureOrg(admin, { name, kind: 'shared', description, features })
  for (const { user, role } of org.members ?? []) {
    const found = await findUser(admin.tx, user)
    if (!found)
      throw new AdminProblem(`The organization ${name} lists the member ${user}, who does not exist`)
    await ensureMember(admin, { org_id, org: name, user_id: found.user_id, user, role })
  }
  for (const account of org.service_accounts ?? []) {
    const { privilege, description: purpose } = account
    await ensureServiceAccount(admin, {
      org_id,
      org: name,
      name: account.name,
      privilege,
      description: purpose,
    })
    const owner = await requireAccountOwner(admin, name, account.name)
    for (const key of account.api_keys ?? [])
      await importKey(admin, owner, key.secret, key.description ?? 'imported')
  }
}
