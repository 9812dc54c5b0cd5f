// The database of a test application: a copy of the template. A worker keeps it with its warm connections and puts the
// seeded rows back for the next file, because half of what a small file costs is a cold database.
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Database } from '../src/db/database.ts'

interface KeptDatabase {
  name: string
  /** A connection as the owner of the schema. */
  owner: pg.Client
  db: Database
}

/** A test that sends one of these changes more than rows: its database is dropped. */
const CHANGES_MORE = /\b(alter|analyze|cluster|comment|create|drop|grant|lock|reindex|revoke|set|vacuum)\s/i
const SETS_ROWS = /\bupdate\s+\S+(\s+(as\s+)?\w+)?\s+set\s/gi

/** Tables, which the service creates too, and the logs of the seeded organizations, whose keys connections remember. */
const FINGERPRINT = `
  select (select count(*) from pg_class where relnamespace = 'public'::regnamespace) || ' ' ||
    (select string_agg(epoch::text, ' ' order by org_id) from log_heads
     where org_id in (select org_id from seeded.rows_of_orgs)) as fingerprint`

/**
 * Run in the template once its rows are seeded. Copies them to a schema of their own, and adds `seeded.restore()`, which
 * truncates because deleted rows would change the plans of the next file.
 */
export const KEEP_SEEDED_ROWS = `
  create schema seeded;
  create function seeded.list_filled() returns setof name language plpgsql as $$
  declare relation name; is_filled boolean; begin
    for relation in select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    loop
      execute format('select exists (select from public.%I)', relation) into is_filled;
      if is_filled then return next relation; end if;
    end loop;
  end $$;
  do $$ declare relation name; begin
    for relation in select seeded.list_filled() loop
      execute format('create table seeded.%I as table public.%I', 'rows_of_' || relation, relation);
    end loop;
  end $$;
  create table seeded.sequences as
    select oid::regclass as name, pg_sequence_last_value(oid) as value
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S';
  create function seeded.restore() returns void language plpgsql as $$
  declare copied record; begin
    set local session_replication_role = replica;
    execute (
      select 'truncate ' || string_agg(format('public.%I', name), ', ') || ' restart identity cascade'
      from seeded.list_filled() as name);
    for copied in
      select c.relname as source, substr(c.relname, 9) as target,
        string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
      from pg_class c
      join pg_attribute a on a.attrelid = format('public.%I', substr(c.relname, 9))::regclass
        and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relnamespace = 'seeded'::regnamespace and c.relname like 'rows_of_%'
      group by c.relname
    loop
      execute format('insert into public.%I (%s) overriding system value select %s from seeded.%I',
        copied.target, copied.columns, copied.columns, copied.source);
    end loop;
    perform setval(name, value) from seeded.sequences where value is not null;
  end $$`

const kept: KeptDatabase[] = []
const fingerprints = new Map<string, string>()
const changed = new Set<string>()
/** The queries of owners, before they are watched. */
const queries = new WeakMap<pg.Client, (text: string) => Promise<pg.QueryResult>>()

interface Source {
  address: pg.ClientConfig
  template: string
  connect(name: string): Database
}

/** A kept database or a new copy of the template; with `existing`, another connection to that one. */
export async function openDatabase(
  source: Source,
  { existing, isOrdinary }: { existing: string | undefined; isOrdinary: boolean },
): Promise<KeptDatabase & { giveBack(): Promise<void> }> {
  if (existing !== undefined) {
    const beside = await connectBoth(source, existing)
    return { ...beside, giveBack: () => close(beside) }
  }
  const found = isOrdinary ? kept.pop() : undefined
  const database = found ?? (await connectBoth(source, await cloneDatabase(source)))
  if (!found) fingerprints.set(database.name, await readFingerprint(database.owner))
  return { ...database, giveBack: () => giveBack(source, database, isOrdinary) }
}

async function connectBoth({ address, connect }: Source, name: string): Promise<KeptDatabase> {
  const owner = new pg.Client({ ...address, database: name })
  await owner.connect()
  watch(name, owner)
  return { name, owner, db: connect(name) }
}

async function close({ db, owner }: KeptDatabase): Promise<void> {
  await Promise.all([db.close(), owner.end()])
}

/** Keeps it if the test changed only rows and has ended all its work. */
async function giveBack({ address }: Source, database: KeptDatabase, isOrdinary: boolean): Promise<void> {
  const { name, owner, db } = database
  const { waiting, idle, total } = db.pool()
  const isIdle = waiting === 0 && idle === total
  const isUnchanged = !changed.has(name) && (await readFingerprint(owner)) === fingerprints.get(name)
  if (isOrdinary && isIdle && isUnchanged) {
    await queries.get(owner)?.('select seeded.restore()')
    await queries.get(owner)?.('discard all')
    kept.push(database)
  } else {
    await close(database)
    await runAsOwner(address, `drop database ${name} with (force)`)
  }
}

async function cloneDatabase({ address, template }: Source): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await runAsOwner(address, `create database ${name} template ${template} strategy file_copy`)
  return name
}

function watch(name: string, owner: pg.Client): void {
  const query = owner.query.bind(owner) as (...args: unknown[]) => Promise<pg.QueryResult>
  queries.set(owner, query)
  const watched = (...args: unknown[]) => {
    const [first] = args
    const text = typeof first === 'string' ? first : String(Object(first).text)
    if (CHANGES_MORE.test(text.replaceAll(SETS_ROWS, ''))) changed.add(name)
    return query(...args)
  }
  owner.query = watched as typeof owner.query
}

async function readFingerprint(owner: pg.Client): Promise<string> {
  return (await queries.get(owner)?.(FINGERPRINT))?.rows[0].fingerprint
}

async function runAsOwner(address: pg.ClientConfig, text: string): Promise<void> {
  const client = new pg.Client(address)
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}
