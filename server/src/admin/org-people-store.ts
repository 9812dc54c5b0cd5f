// The SQL that finds and creates the people of an org that moves between cells. It runs as the owner.
import type { Db } from '../db/database.ts'
import {
  bool,
  count,
  defineStatement,
  json,
  nullable,
  type RowOf,
  readsWholeOrg,
  text,
  time,
  uuid,
  uuids,
} from '../db/statement.ts'

const people = defineStatement(
  'org_people.list',
  { user_ids: uuids },
  { line: text },
  `select jsonb_build_object('user_id', u.user_id, 'name', u.name, 'display_name', u.display_name, 'email', u.email,
     'deactivated_at', u.deactivated_at,
     'identities', (select coalesce(jsonb_agg(jsonb_build_object('issuer', i.issuer, 'subject', i.subject)
                                              order by i.issuer, i.subject), '[]')
                    from identities i where i.user_id = u.user_id))::text as line
   from users u where u.user_id = any (:user_ids::uuid[])
   order by u.user_id`,
)

/** Each user as a line of JSON, without keys and sessions: those stay in their cell. */
export async function listPeopleLines(db: Db, user_ids: string[]): Promise<string[]> {
  return (await db.run(people, { user_ids })).map(({ line }) => line)
}

const keyHolders = defineStatement(
  'org_people.with_personal_keys',
  { org_id: uuid, now: time },
  { name: text, keys: count },
  `select u.name, count(*) as keys
   from memberships m join users u on u.user_id = m.user_id join personal_keys k on k.user_id = u.user_id
   where m.org_id = :org_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > :now)
   group by u.name order by u.name`,
  readsWholeOrg('an operator reads it once, before the organization moves'),
)

/** Members with personal keys, which do not work in another cell. */
export function listKeyHolders(db: Db, org_id: string, now: Date): Promise<RowOf<typeof keyHolders>[]> {
  return db.run(keyHolders, { org_id, now })
}

const GIVEN = 'jsonb_to_recordset(:identities::jsonb) as g(issuer text, subject text)'

const matches = defineStatement(
  'org_people.matches',
  {
    user_id: uuid,
    email: nullable(text),
    identities: json<readonly { issuer: string; subject: string }[]>(),
  },
  { user_id: uuid, name: text, is_same_id: bool, is_same_identity: bool, is_other_subject: bool },
  `select u.user_id, u.name, u.user_id = :user_id as is_same_id,
     exists (select from identities i join ${GIVEN} on g.issuer = i.issuer and g.subject = i.subject
             where i.user_id = u.user_id) as is_same_identity,
     exists (select from identities i join ${GIVEN} on g.issuer = i.issuer and g.subject <> i.subject
             where i.user_id = u.user_id) as is_other_subject
   from users u
   where u.user_id = :user_id or u.email_key = lower(:email::text)
     or u.user_id in (select i.user_id from identities i join ${GIVEN} on g.issuer = i.issuer and g.subject = i.subject)`,
)

export type Match = RowOf<typeof matches>

/** Users here who have a person's id, identity or mail address. */
export function findMatches(
  db: Db,
  person: { user_id: string; email: string | null; identities: { issuer: string; subject: string }[] },
): Promise<Match[]> {
  const { user_id, email, identities } = person
  return db.run(matches, { user_id, email, identities })
}

const insert = defineStatement(
  'org_people.insert',
  {
    user_id: uuid,
    name: text,
    display_name: nullable(text),
    email: nullable(text),
    deactivated_at: nullable(text),
    identities: json<readonly { issuer: string; subject: string }[]>(),
    now: time,
  },
  {},
  `with made as (
     insert into users (user_id, name, display_name, email, deactivated_at, created_at)
     values (:user_id, :name, :display_name, :email, :deactivated_at::text::timestamptz, :now)
     returning user_id
   )
   insert into identities (issuer, subject, user_id, created_at, last_seen_at)
   select g.issuer, g.subject, made.user_id, :now::timestamptz, :now::timestamptz
   from made, jsonb_to_recordset(:identities::jsonb) as g(issuer text, subject text)`,
)

export async function insertPerson(
  db: Db,
  person: Parameters<typeof findMatches>[1] & NewPerson,
): Promise<void> {
  await db.run(insert, person)
}

interface NewPerson {
  name: string
  display_name: string | null
  deactivated_at: string | null
  now: Date
}

const taken = defineStatement(
  'org_people.find_org',
  { org_id: uuid, name: text },
  { name: text },
  `select name from orgs where org_id = :org_id or name_key = lower(:name) limit 1`,
)

/** The name of an org that prevents an import. */
export async function findOrgInTheWay(
  db: Db,
  org: { org_id: string; name: string },
): Promise<string | undefined> {
  return (await db.run(taken, org))[0]?.name
}

const evidence = defineStatement(
  'org_people.evidence',
  { org_id: uuid, after: text },
  { sha256: text },
  `select coalesce(n.sha256, '') as sha256 from (
     (select distinct a.evidence_sha256 as sha256 from attestations a
      where a.org_id = :org_id and a.evidence_sha256 is not null and a.evidence_sha256 > :after order by 1 limit 1000)
     union
     (select distinct x.stored_sha256 from attestation_files x
      where x.org_id = :org_id and x.stored_sha256 > :after order by 1 limit 1000)
   ) n
   order by 1 limit 1000`,
)

/** The evidence that the org's rows refer to, each once. */
export async function* listOrgEvidence(db: Db, org_id: string): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const page = await db.run(evidence, { org_id, after })
    for (const { sha256 } of page) yield sha256
    const last = page.at(-1)
    if (!last) return
    after = last.sha256
  }
}
