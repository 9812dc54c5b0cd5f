// The PostgreSQL that Waybill brings along: created, started, supervised and stopped in the data directory.
// The one entrance to this folder.
import path from 'node:path'
import { type Account, adoptCluster, chooseAccount } from './account.ts'
import { completeLinks, locateBinaries } from './binaries.ts'
import { getClusterDirectory, prepareDataDirectory } from './data-directory.ts'
import { buildDatabaseAddress, type DatabaseAddress, SOCKET_PORT } from './database-address.ts'
import { initCluster } from './init-cluster.ts'
import { launch } from './launch.ts'
import { disarmPostmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { endPredecessors, isServerProcess, readClusterMarker } from './predecessors.ts'
import { ensureReachableBinaries } from './reachable-binaries.ts'
import { ensureDatabase, waitUntilReady } from './ready.ts'
import { getServerLogPath, openServerLog, readLastLogLines } from './server-log.ts'
import type { ServerProcess } from './server-process.ts'
import {
  createSocketDirectory,
  removeSocketDirectory,
  removeSocketLock,
  removeStaleSocketDirectories,
} from './socket-directory.ts'
import { endServer, supervise } from './supervise.ts'

export { type DataDirectoryLock, lockDataDirectory } from './data-directory.ts'
export type { DatabaseAddress } from './database-address.ts'

export interface EmbeddedPostgres {
  address: DatabaseAddress
  stop(): Promise<void>
  pid(): number | undefined
}

export interface EmbeddedOptions {
  data_dir: string
  password: string
  /** Further PostgreSQL settings; tests trade durability for speed here. */
  settings?: Record<string, string>
  onLog?: (line: string) => void
  /** Where the PostgreSQL programs lie; found by package name when left out. */
  native_dir?: string
  /** Arguments of initdb that say how text is sorted and folded. Tests on older servers need others than ours. */
  locale?: readonly string[]
}

interface Cluster {
  data_dir: string
  native_dir: string
  account: Account | undefined
  marker: string
  settings: Record<string, string>
  onLog: (line: string) => void
}

// Errors of a statement go to the client that sent it; quoting the statement here too would only spread its
// data.
// Plans are made by what is known of the tables; while a new organization's tables grow from nothing, that is out of date
// within seconds, and the usual minute between looks would be a slow one.
const DEFAULT_SETTINGS = { log_min_error_statement: 'panic', autovacuum_naptime: '5s' }
// PostgreSQL's own, the same on every machine; new in version 17.
const OWN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

/** The caller holds the lock of the data directory: whatever PostgreSQL still runs in it is stopped. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options)
  const { marker, account } = cluster
  await endPredecessors(marker, cluster.onLog)
  await removeStaleSocketDirectories(marker, SOCKET_PORT, account)
  const socket_directory = await createSocketDirectory(marker, SOCKET_PORT, account)
  try {
    const address = buildDatabaseAddress(socket_directory, SOCKET_PORT, options.password)
    const first = await startServer(cluster, socket_directory)
    await waitUntilUsable(cluster, address, first)
    const supervised = supervise(first, {
      start: () => startServer(cluster, socket_directory),
      waitUntilReady: (server, stopping) => waitUntilReady(address, server, stopping),
      onLog: cluster.onLog,
    })
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= supervised.stop().finally(() => removeSocketDirectory(socket_directory, SOCKET_PORT))
      return stopped
    }
    return { address, pid: supervised.pid, stop }
  } catch (error) {
    await removeSocketDirectory(socket_directory, SOCKET_PORT)
    throw error
  }
}

/** For a command beside a running service; undefined when no PostgreSQL runs in the data directory. */
export async function findRunningPostgres(
  data_dir: string,
  password: string,
): Promise<DatabaseAddress | undefined> {
  const cluster_dir = getClusterDirectory(path.resolve(data_dir))
  const note = await readPostmasterFile(cluster_dir)
  if (note === undefined || note.socket_directory === '') return undefined
  if (!(await isServerProcess(note.pid, await readClusterMarker(cluster_dir)))) return undefined
  return buildDatabaseAddress(note.socket_directory, note.port, password)
}

async function prepareCluster(options: EmbeddedOptions): Promise<Cluster> {
  const data_dir = await prepareDataDirectory(options.data_dir)
  const cluster_dir = getClusterDirectory(data_dir)
  const account = await chooseAccount(cluster_dir)
  const installed = options.native_dir ?? locateBinaries(process.platform, process.arch)
  await completeLinks(installed)
  const native_dir = account === undefined ? installed : await ensureReachableBinaries(installed, account)
  const settings = options.settings ?? {}
  const { password, locale = OWN_LOCALE } = options
  await initCluster({ data_dir, native_dir, account, password, locale, is_durable: settings.fsync !== 'off' })
  if (account !== undefined) await adoptCluster(cluster_dir, account)
  const marker = await readClusterMarker(cluster_dir)
  return { data_dir, native_dir, account, marker, settings, onLog: options.onLog ?? (() => undefined) }
}

async function startServer(cluster: Cluster, socket_directory: string): Promise<ServerProcess> {
  const cluster_dir = getClusterDirectory(cluster.data_dir)
  await endPredecessors(cluster.marker, cluster.onLog)
  await disarmPostmasterFile(cluster.data_dir, cluster.account)
  await removeSocketLock(socket_directory, SOCKET_PORT)
  const log = await openServerLog(getServerLogPath(cluster.data_dir))
  try {
    return await launch({
      file: path.join(cluster.native_dir, 'bin', 'postgres'),
      account: cluster.account,
      needs: [cluster_dir],
      args: ([directory = '']) => ['-D', directory, ...buildSettingArguments(cluster, socket_directory)],
      output: log.fd,
    })
  } finally {
    await log.close()
  }
}

function buildSettingArguments(cluster: Cluster, socket_directory: string): string[] {
  const settings: Record<string, string> = {
    ...DEFAULT_SETTINGS,
    ...cluster.settings,
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: socket_directory,
    unix_socket_permissions: '0700',
    cluster_name: cluster.marker,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function waitUntilUsable(
  cluster: Cluster,
  address: DatabaseAddress,
  server: ServerProcess,
): Promise<void> {
  try {
    await waitUntilReady(address, server, new AbortController().signal)
    await ensureDatabase(address)
  } catch (error) {
    await endServer(server)
    const log_file = getServerLogPath(cluster.data_dir)
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason}; the end of ${log_file}:\n${await readLastLogLines(log_file)}`, {
      cause: error,
    })
  }
}
