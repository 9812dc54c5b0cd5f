// Every statement about flows, their templates and their former names. Lists are in list-store.ts.
import { computed, pick, toColumnList, toSelectList, toSetList, toValueList } from '../../db/columns.ts'
import type { Database, Db } from '../../db/database.ts'
import {
  defineStatement,
  json,
  nullable,
  PLANNED_ONCE,
  type RowOf,
  text,
  time,
  uuid,
  type Values,
} from '../../db/statement.ts'
import type { Tags } from '../../domain/tags.ts'
import type { Template } from '../../domain/template/template.ts'
import type { ComplianceState } from '../../domain/trail/evaluate.ts'
import { flowMeant } from '../shared/flow-names-store.ts'

/** The fields that clients set. */
const FIELDS = { description: text, visibility: text, template_id: uuid }

const STORED = {
  flow_id: uuid,
  name: text,
  ...FIELDS,
  repo_url: text,
  tags: json<Tags>(),
  created_by: text,
  created_at: time,
  last_modified_at: time,
  archived_at: nullable(time),
}

export interface UnknownType {
  /** Empty for trail-level attestations. */
  artifact_name: string
  name: string
  type: string
}

const UNKNOWN_TYPES = `
  select s.artifact_name, s.name, s.type from template_slots s
  cross join lateral (select substr(s.type, 8) as name offset 0) custom
  where s.org_id = :org_id and s.template_id = t.template_id and starts_with(s.type, 'custom:') and not exists (
    select from custom_attestation_types c
    where c.org_id = :org_id and c.name = custom.name and c.archived_at is null)
  order by s.artifact_name, s.name`

/** Read from `flows f` and its current template `t`. */
export const FLOW = {
  ...STORED,
  template: computed(text, 't.content'),
  latest_activity_at: computed(
    nullable(time),
    // Its events may be from months that are no longer kept.
    `coalesce((select e.happened_at from events e where e.org_id = f.org_id and e.flow_id = f.flow_id
       order by e.event_id desc limit 1), f.last_modified_at)`,
  ),
  last_deployment_at: computed(
    nullable(time),
    `select d.deployed_at from deployments d where d.org_id = f.org_id and d.flow_id = f.flow_id
     order by d.deployed_at desc limit 1`,
  ),
  latest_state: computed(
    nullable(text),
    `select r.compliance_state from trails r where r.org_id = f.org_id and r.flow_id = f.flow_id
     order by r.trail_id desc limit 1`,
  ),
  unknown_types: computed(
    json<UnknownType[]>(),
    `select coalesce(jsonb_agg(u), '[]') from (${UNKNOWN_TYPES}) u`,
  ),
}

const find = defineStatement(
  'flows.find',
  { org_id: uuid, flow_name: text },
  FLOW,
  `select ${toSelectList('f', FLOW)}
   from flows f join templates t on t.org_id = f.org_id and t.template_id = f.template_id
   where f.org_id = :org_id and f.flow_id = ${flowMeant(':flow_name')}`,
  PLANNED_ONCE,
)

export type FlowRow = RowOf<typeof find>

const unknownTypes = defineStatement(
  'templates.unknown_types',
  { org_id: uuid, template_id: uuid },
  { artifact_name: text, name: text, type: text },
  `select u.* from templates t cross join lateral (${UNKNOWN_TYPES}) u
   where t.org_id = :org_id and t.template_id = :template_id`,
)

/** The slots of a template whose custom type does not exist. */
export function listUnknownTypes(db: Db, org_id: string, template_id: string): Promise<UnknownType[]> {
  return db.run(unknownTypes, { org_id, template_id })
}

/** Finds a flow by name, archived or not. */
export async function findFlow(db: Db, org_id: string, flow_name: string): Promise<FlowRow | undefined> {
  return (await db.run(find, { org_id, flow_name }))[0]
}

/** The same outside a transaction: one round trip. */
export async function findFlowOnce(
  db: Database,
  org_id: string,
  flow_name: string,
): Promise<FlowRow | undefined> {
  return (await db.read({ org_id }, find, { org_id, flow_name }))[0]
}

const FOUND = pick(STORED, 'flow_id', 'archived_at')

const findId = defineStatement(
  'flows.find_id',
  { org_id: uuid, flow_name: text },
  FOUND,
  `select ${toSelectList('f', FOUND)} from flows f
   where f.org_id = :org_id and f.flow_id = ${flowMeant(':flow_name')}`,
  PLANNED_ONCE,
)

/** Reads only what determines whether the flow may be used. */
export async function findFlowId(db: Db, org_id: string, flow_name: string) {
  return (await db.run(findId, { org_id, flow_name }))[0]
}

const LOCKED = pick(STORED, 'flow_id', 'name', 'tags', 'archived_at')

const lock = defineStatement(
  'flows.lock',
  { org_id: uuid, flow_name: text },
  LOCKED,
  `select ${toSelectList('f', LOCKED)} from flows f
   where f.org_id = :org_id and f.flow_id = ${flowMeant(':flow_name')}
   for update`,
)

/** Finds a flow by name, archived or not, and locks it. */
export async function lockFlow(db: Db, org_id: string, flow_name: string) {
  return (await db.run(lock, { org_id, flow_name }))[0]
}

export interface NewTemplate {
  template_id: string
  content: string
  content_sha256: string
  parsed: Template
  fresh_state: ComplianceState
}

const insertTemplate = defineStatement(
  'templates.insert_or_find',
  {
    org_id: uuid,
    template_id: uuid,
    content: text,
    content_sha256: text,
    parsed: json<Template>(),
    fresh_state: text,
    now: time,
  },
  { template_id: uuid },
  `with created as (
     insert into templates (org_id, template_id, content_sha256, content, parsed, fresh_state, created_at)
     values (:org_id, :template_id, decode(:content_sha256, 'hex'), :content, :parsed::jsonb, :fresh_state, :now)
     on conflict (org_id, content_sha256) do nothing
     returning template_id, parsed -> 'trail' as trail
   ), slots as (
     insert into template_slots (org_id, template_id, artifact_name, name, type)
     select :org_id, created.template_id, '', s ->> 'name', s ->> 'type'
     from created, jsonb_array_elements(created.trail -> 'attestations') s
     union all
     select :org_id, created.template_id, a ->> 'name', s ->> 'name', s ->> 'type'
     from created, jsonb_array_elements(created.trail -> 'artifacts') a, jsonb_array_elements(a -> 'attestations') s
   )
   select template_id from created`,
)

const findTemplate = defineStatement(
  'templates.find_by_content',
  { org_id: uuid, content_sha256: text },
  { template_id: uuid },
  `select template_id from templates where org_id = :org_id and content_sha256 = decode(:content_sha256, 'hex')`,
)

/** Stores a template, unless the same content exists, and returns its id. */
export async function saveTemplate(
  db: Db,
  org_id: string,
  template: NewTemplate,
  now: Date,
): Promise<string> {
  const { content_sha256 } = template
  const [inserted] = await db.run(insertTemplate, { org_id, ...template, now })
  const [stored] = inserted ? [inserted] : await db.run(findTemplate, { org_id, content_sha256 })
  // If the insert conflicted, the other row is committed by now, so it is found.
  if (!stored) throw new Error('A template conflicted on insert but was not found')
  return stored.template_id
}

const NEW = { ...pick(STORED, 'flow_id', 'name', 'created_by'), ...FIELDS }

const insert = defineStatement(
  'flows.insert_or_keep',
  { org_id: uuid, ...NEW, now: time },
  { flow_id: uuid },
  `with released as (
     delete from former_flow_names where org_id = :org_id and name = :name
   )
   insert into flows (org_id, ${toColumnList(NEW)}, created_at, last_modified_at)
   values (:org_id, ${toValueList(NEW)}, :now, :now)
   on conflict (org_id, name) do nothing
   returning flow_id`,
)

export type NewFlow = Values<typeof NEW>

/** Returns false if a flow of that name exists, archived or not. */
export async function insertFlow(db: Db, org_id: string, flow: NewFlow, now: Date): Promise<boolean> {
  const inserted = await db.run(insert, { org_id, ...flow, now })
  return inserted.length > 0
}

const LOCKED_BY_NAME = { ...pick(STORED, 'flow_id', 'archived_at'), ...FIELDS }

const lockByName = defineStatement(
  'flows.lock_by_name',
  { org_id: uuid, name: text },
  LOCKED_BY_NAME,
  `select ${toColumnList(LOCKED_BY_NAME)} from flows where org_id = :org_id and name = :name for update`,
)

/** Includes archived flows, because a PUT restores them. */
export async function lockFlowByName(db: Db, org_id: string, name: string) {
  return (await db.run(lockByName, { org_id, name }))[0]
}

const update = defineStatement(
  'flows.update',
  { org_id: uuid, flow_id: uuid, ...FIELDS, now: time },
  {},
  // A restored flow has only the fields of the request, which has no tags.
  `update flows set ${toSetList(FIELDS)},
     tags = case when archived_at is null then tags else '{}' end, last_modified_at = :now, archived_at = null
   where org_id = :org_id and flow_id = :flow_id`,
)

export async function updateFlow(
  db: Db,
  org_id: string,
  flow: Values<typeof FIELDS> & { flow_id: string; now: Date },
): Promise<void> {
  await db.run(update, { org_id, ...flow })
}

const archive = defineStatement(
  'flows.archive',
  { org_id: uuid, flow_id: uuid, now: time },
  {},
  'update flows set archived_at = :now, last_modified_at = :now where org_id = :org_id and flow_id = :flow_id',
)

export async function archiveFlow(db: Db, org_id: string, flow_id: string, now: Date): Promise<void> {
  await db.run(archive, { org_id, flow_id, now })
}

const unarchive = defineStatement(
  'flows.unarchive',
  { org_id: uuid, flow_id: uuid, now: time },
  {},
  'update flows set archived_at = null, last_modified_at = :now where org_id = :org_id and flow_id = :flow_id',
)

export async function unarchiveFlow(db: Db, org_id: string, flow_id: string, now: Date): Promise<void> {
  await db.run(unarchive, { org_id, flow_id, now })
}

const renameArchived = defineStatement(
  'flows.archived_steps_aside',
  { org_id: uuid, name: text, new_name: text },
  {},
  `update flows set name = :new_name
   where org_id = :org_id and name = :name and archived_at is not null`,
)

const rename = defineStatement(
  'flows.rename',
  { org_id: uuid, flow_id: uuid, old_name: text, new_name: text, now: time },
  {},
  `with released as (
     delete from former_flow_names where org_id = :org_id and name = :new_name
   ), former as (
     insert into former_flow_names (org_id, name, flow_id) values (:org_id, :old_name, :flow_id)
     on conflict (org_id, name) do update set flow_id = excluded.flow_id
   )
   update flows set name = :new_name, last_modified_at = :now where org_id = :org_id and flow_id = :flow_id`,
)

/** Frees the new name if an archived flow has it, then renames and keeps the old name as a former one. */
export async function renameFlow(
  db: Db,
  org_id: string,
  flow: { flow_id: string; old_name: string; new_name: string; name_for_archived: string; now: Date },
): Promise<void> {
  const { name_for_archived, ...renaming } = flow
  await db.run(renameArchived, { org_id, name: flow.new_name, new_name: name_for_archived })
  await db.run(rename, { org_id, ...renaming })
}

const setTags = defineStatement(
  'flows.set_tags',
  { org_id: uuid, flow_id: uuid, tags: json<Tags>(), now: time },
  {},
  `update flows set tags = :tags::jsonb, last_modified_at = :now where org_id = :org_id and flow_id = :flow_id`,
)

export async function setFlowTags(
  db: Db,
  org_id: string,
  flow_id: string,
  tags: Tags,
  now: Date,
): Promise<void> {
  await db.run(setTags, { org_id, flow_id, tags, now })
}
