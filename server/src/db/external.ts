// The operator's PostgreSQL. The pool logs in with DATABASE_URL, through a pooler if there is one, and every
// transaction switches to the application role. Work that needs its own session, such as migrations and LISTEN,
// connects directly.
import { connectClient, connectPrepared, describeError, LISTENER } from './clients.ts'
import type { Cluster } from './cluster.ts'
import { connectDatabase, type PoolSettings } from './database.ts'
import { SchemaProblem } from './migrate.ts'
import { APP_ROLE } from './scope.ts'
import { refuseUnsupportedServer } from './supported-server.ts'

export interface ExternalUrls {
  database_url: string
  /** Reaches the same database without a pooler; defaults to database_url. */
  direct_url?: string | undefined
  /** Logs in as the schema owner; by default the user of the URLs above is the owner. */
  owner_url?: string | undefined
  /** A streaming replica, for reads that can do without the primary. */
  replica_url?: string | undefined
}

// How long a request waits for an unresponsive replica before it reads the primary.
const REPLICA_CONNECT_MS = 1_000

const IS_OWNER = `
  select coalesce(pg_has_role(c.relowner, 'member'), true) as is_owner
  from (values (to_regclass('public.schema_migrations'))) as migrations (oid)
  left join pg_class c on c.oid = migrations.oid`

export function openExternalCluster(urls: ExternalUrls, pool: PoolSettings): Cluster {
  const settings = { ...pool, transactions: { ...pool.transactions, role: APP_ROLE } }
  const { database_url, direct_url = database_url, owner_url, replica_url } = urls
  const app_settings = { connectionString: database_url, ...settings }
  const [owner_setting, owner_address] = chooseOwner(urls)
  let asked: Promise<boolean> | undefined
  const connectOwner = async () => {
    if (!(await hasOwner())) throw new SchemaProblem(NEEDS_OWNER)
    return connectSupported(owner_address, owner_setting)
  }
  const hasOwner = () => {
    if (owner_url !== undefined) return Promise.resolve(true)
    asked ??= isOwner(owner_address, owner_setting)
    return asked
  }
  return {
    hasOwner,
    connectOwner,
    app_settings,
    connectApp: (onIdleError, observer) => connectDatabase(app_settings, onIdleError, observer),
    connectReplica:
      replica_url === undefined
        ? undefined
        : (onIdleError, observer) =>
            connectDatabase(
              {
                connectionString: replica_url,
                application_name: 'waybill-replica',
                connectionTimeoutMillis: REPLICA_CONNECT_MS,
                ...settings,
                transactions: { ...settings.transactions, read_only: true },
              },
              onIdleError,
              observer,
            ),
    connectListener: () =>
      connectPrepared({ connectionString: direct_url, ...LISTENER }, client =>
        client.query(`set role ${APP_ROLE}`),
      ),
    stop: async () => undefined,
  }
}

const NEEDS_OWNER =
  'The user of DATABASE_URL does not own the schema: set DATABASE_OWNER_URL for migrations and for admin commands'

function chooseOwner({ database_url, direct_url, owner_url }: ExternalUrls): [setting: string, url: string] {
  if (owner_url !== undefined) return ['DATABASE_OWNER_URL', owner_url]
  return direct_url === undefined ? ['DATABASE_URL', database_url] : ['DATABASE_DIRECT_URL', direct_url]
}

/** Before the first migration nobody owns the schema, so whoever migrates it becomes the owner. */
async function isOwner(url: string, setting: string): Promise<boolean> {
  const client = await connectSupported(url, setting)
  try {
    return (await client.query(IS_OWNER)).rows[0].is_owner
  } finally {
    await client.end()
  }
}

async function connectSupported(connectionString: string, setting: string) {
  const client = await connectClient({ connectionString }).catch(error => {
    throw new SchemaProblem(`The database of ${setting} cannot be used: ${describeError(error)}`)
  })
  try {
    await refuseUnsupportedServer(client, setting)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}
