// The connection settings of the embedded database and the fixed names inside it.

export interface DatabaseAddress {
  /** The directory of the Unix socket. */
  host: string
  port: number
  user: string
  password: string
  database: string
}

export const SUPERUSER = 'waybill'
export const DATABASE = 'waybill'
/** Exists in every new cluster, so the first connection uses it. */
export const MAINTENANCE_DATABASE = 'postgres'
/** Only part of the socket's file name: nothing listens on TCP. */
export const SOCKET_PORT = 5432

export function buildDatabaseAddress(
  socket_directory: string,
  port: number,
  password: string,
): DatabaseAddress {
  return { host: socket_directory, port, user: SUPERUSER, password, database: DATABASE }
}
