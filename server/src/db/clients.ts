// Single connections outside of the pool: for migrations, the admin program and LISTEN.
import pg from 'pg'

const CONNECT_TIMEOUT_MS = 10_000
export const LISTENER = { application_name: 'waybill-listener', keepAlive: true }

/** The caller must end it. */
export async function connectClient(settings: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({
    application_name: 'waybill-admin',
    ...settings,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  // Losing an idle connection would end the process. Whoever uses it next gets the error.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Ends the connection if `prepare` fails. */
export async function connectPrepared(
  settings: pg.ClientConfig,
  prepare: (client: pg.Client) => Promise<unknown>,
): Promise<pg.Client> {
  const client = await connectClient(settings)
  try {
    await prepare(client)
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

/** A host name with several addresses fails with a list of errors but no message. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describeError).join(', ')
  return error instanceof Error ? error.message : String(error)
}
