// Describes a schema from its catalogue, with one line for each part, so that two databases can be compared. The
// order of columns does not matter. Partitions count as one, without the names that PostgreSQL generates for each.
import type pg from 'pg'

/** The tables, with the partitions of events under one name. */
const TABLES = `select c.*, case when c.relispartition then 'events_<months>' else c.relname::text end as name
  from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'S')`
/** Privileges without their order and grantor. */
const grants = (acl: string) => `(select string_agg(format('%s:%s%s', case grantee when 0 then 'public'
    else grantee::regrole::text end, privilege_type, case when is_grantable then '*' end), ' ' order by grantee, privilege_type)
  from aclexplode(${acl}))`
/** Definitions name the partition that they belong to. */
const onTable = (definition: string) => `replace(${definition}, t.relname, t.name)`

const PARTS: Record<string, string> = {
  tables: `select 'table ' || concat_ws(' | ', name, relkind, relpersistence, relrowsecurity, relforcerowsecurity, reloptions,
      pg_get_partkeydef(oid), relowner::regrole, ${grants("coalesce(relacl, acldefault('r', relowner))")}, obj_description(oid))
    from (${TABLES}) t`,
  columns: `select 'column ' || concat_ws(' | ', name || '.' || attname, format_type(atttypid, atttypmod), attnotnull,
      attidentity, attgenerated, pg_get_expr(adbin, adrelid), attcollation::regcollation, attstorage, attcompression,
      attstattarget, attoptions, ${grants('attacl')}, col_description(t.oid, attnum))
    from (${TABLES}) t join pg_attribute a on attrelid = t.oid and attnum > 0 and not attisdropped
    left join pg_attrdef on adrelid = attrelid and adnum = attnum`,
  indexes: `select 'index ' || concat_ws(' | ', case when t.relispartition then '' else i.relname end,
      ${onTable("replace(pg_get_indexdef(i.oid), i.relname, '<index>')")}, indisvalid, indisclustered, indisreplident,
      i.reloptions)
    from (${TABLES}) t join pg_index on indrelid = t.oid join pg_class i on i.oid = indexrelid`,
  constraints: `select 'constraint ' || concat_ws(' | ', t.name, case when t.relispartition then '' else conname end,
      replace(pg_get_constraintdef(c.oid), ' NOT VALID', ''), condeferrable, condeferred)
    from (${TABLES}) t join pg_constraint c on conrelid = t.oid`,
  policies: `select 'policy ' || concat_ws(' | ', t.name, polname, polpermissive, polcmd, polroles::regrole[],
      pg_get_expr(polqual, polrelid), 'check', pg_get_expr(polwithcheck, polrelid))
    from (${TABLES}) t join pg_policy on polrelid = t.oid`,
  triggers: `select 'trigger ' || concat_ws(' | ', t.name, tgname, tgenabled, pg_get_triggerdef(g.oid))
    from (${TABLES}) t join pg_trigger g on tgrelid = t.oid and not tgisinternal`,
  functions: `select 'function ' || concat_ws(' | ', oid::regprocedure, pg_get_functiondef(oid),
      ${grants("coalesce(proacl, acldefault('f', proowner))")}, obj_description(oid))
    from pg_proc where pronamespace = 'public'::regnamespace`,
  types: `select 'type ' || typname from pg_type
    where typnamespace = 'public'::regnamespace and typrelid = 0 and typelem = 0`,
  schemas: `select 'schema ' || concat_ws(' | ', nspname, ${grants('nspacl')}) from pg_namespace where nspname !~ '^pg_'`,
  defaults: `select 'default privileges ' || defaclobjtype::text || ${grants('defaclacl')} from pg_default_acl`,
  statistics: `select 'statistics ' || pg_get_statisticsobjdef(oid) from pg_statistic_ext`,
  extensions: `select 'extension ' || extname from pg_extension`,
}

export async function describeSchema(owner: pg.Client): Promise<string[]> {
  const lines: string[] = []
  for (const part of Object.values(PARTS)) {
    const { rows } = await owner.query({ text: part, rowMode: 'array' })
    lines.push(...rows.map(([line]) => String(line)))
  }
  return [...new Set(lines)].sort()
}
