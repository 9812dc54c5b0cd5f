// The connection settings of the embedded database.

export interface DatabaseAddress {
  /** The directory of the Unix socket. */
  host: string
  port: number
  user: string
  password: string
  database: string
}

/** The login of the embedded database's clients; its address comes on top. */
export interface Login {
  /** The name of both the superuser and the database. */
  name: string
  password: string
}

/** Exists in every new cluster, so the first connection uses it. */
export const MAINTENANCE_DATABASE = 'postgres'
/** Only part of the socket's file name: nothing listens on TCP. */
export const SOCKET_PORT = 5432

export function buildDatabaseAddress(
  socket_directory: string,
  port: number,
  { name, password }: Login,
): DatabaseAddress {
  return { host: socket_directory, port, user: name, password, database: name }
}
