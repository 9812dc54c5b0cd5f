// The embedded PostgreSQL: creates, starts, supervises and stops it in the data directory.
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type Account, adoptCluster, chooseAccount } from './account.ts'
import { locateBinaries } from './binaries.ts'
import { getClusterDirectory, prepareDataDirectory } from './data-directory.ts'
import { buildDatabaseAddress, type DatabaseAddress, type Login, SOCKET_PORT } from './database-address.ts'
import { ignoreAbsent } from './file-system.ts'
import { explainFailure, isDiskFull } from './full-disk.ts'
import { guardServer } from './guard.ts'
import { initCluster } from './init-cluster.ts'
import { launch } from './launch.ts'
import { disarmPostmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { endPredecessors, isServerProcess, readClusterMarker } from './predecessors.ts'
import { PostgresProblem } from './problem.ts'
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

export interface EmbeddedPostgres {
  address: DatabaseAddress
  stop(): Promise<void>
  pid(): number | undefined
  /** Why it does not run, as far as it can be told from outside. */
  isDiskFull(): Promise<boolean>
}

export interface EmbeddedOptions extends Login {
  data_dir: string
  /** Additional PostgreSQL settings; tests trade durability for speed here. */
  settings?: Record<string, string>
  onLog?: (line: string) => void
  /** Location of the PostgreSQL programs; defaults to the installed package. */
  native_dir?: string
  /** The initdb arguments for sorting and case folding. Tests on older servers need different ones. */
  locale?: readonly string[]
}

interface Cluster {
  data_dir: string
  native_dir: string
  account: Account | undefined
  marker: string
  settings: Record<string, string>
  onLog: (line: string) => void
  /** Where the output of the newest server begins in the log file. */
  output_from: number
}

// A statement's error goes to the client that sent it; logging the statement here too would only spread its data. The
// tables of a new installation grow from nothing, so statistics are outdated within seconds. With autovacuum's
// default of a minute, plans would stay slow for that long.
const DEFAULT_SETTINGS = { log_min_error_statement: 'panic', autovacuum_naptime: '5s' }
// PostgreSQL's builtin locale, which is the same on every machine; new in version 17.
const BUILTIN_LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

/** The caller must have locked the data directory: stops any PostgreSQL that still runs in it. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options)
  } catch (error) {
    // The message ends with what PostgreSQL has said.
    throw await explainFailure(options.data_dir, error, String(error))
  }
}

async function start(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = await prepareCluster(options)
  const { marker, account } = cluster
  await endPredecessors(marker, cluster.onLog)
  await removeStaleSocketDirectories(marker, SOCKET_PORT, account)
  const socket_directory = await createSocketDirectory(marker, SOCKET_PORT, account)
  try {
    const address = buildDatabaseAddress(socket_directory, SOCKET_PORT, options)
    const first = await startServer(cluster, socket_directory)
    await waitUntilUsable(cluster, address, first)
    const supervised = supervise(first, {
      start: () => startServer(cluster, socket_directory),
      waitUntilReady: (server, stopping) => waitUntilReady(address, server, stopping),
      explain: async error => explainFailure(cluster.data_dir, error, await readOutput(cluster)),
      isShuttingDown: async ({ pid }) => {
        const file = await readPostmasterFile(getClusterDirectory(cluster.data_dir))
        return file?.pid === pid && file?.status === 'stopping'
      },
      onLog: cluster.onLog,
    })
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= supervised.stop().finally(() => removeSocketDirectory(socket_directory, SOCKET_PORT))
      return stopped
    }
    return { address, pid: supervised.pid, stop, isDiskFull: () => isDiskFull(cluster.data_dir) }
  } catch (error) {
    await removeSocketDirectory(socket_directory, SOCKET_PORT)
    throw error
  }
}

/** For a command that runs beside the service. Returns undefined if no PostgreSQL runs in the data directory. */
export async function findRunningPostgres(
  data_dir: string,
  login: Login,
): Promise<DatabaseAddress | undefined> {
  const cluster_dir = getClusterDirectory(path.resolve(data_dir))
  const postmaster = await readPostmasterFile(cluster_dir)
  if (postmaster === undefined || postmaster.socket_directory === '') return undefined
  if (!(await isServerProcess(postmaster.pid, await readClusterMarker(cluster_dir)))) return undefined
  await requireSocketDirectory(postmaster.socket_directory)
  return buildDatabaseAddress(postmaster.socket_directory, postmaster.port, login)
}

async function requireSocketDirectory(directory: string): Promise<void> {
  if ((await stat(directory).catch(ignoreAbsent)) !== undefined) return
  throw new PostgresProblem(
    `PostgreSQL is running, but its socket in ${directory} cannot be seen from here. A service with a /tmp of its own, ` +
      'such as one under systemd, shares it only with commands that join it: see docs/operate/install/systemd.md',
  )
}

async function prepareCluster(options: EmbeddedOptions): Promise<Cluster> {
  const data_dir = await prepareDataDirectory(options.data_dir)
  const cluster_dir = getClusterDirectory(data_dir)
  const account = await chooseAccount(cluster_dir)
  const installed = options.native_dir ?? locateBinaries(process.platform, process.arch)
  const native_dir = await ensureReachableBinaries(installed, account, data_dir)
  const settings = options.settings ?? {}
  const { name, password, locale = BUILTIN_LOCALE } = options
  const is_durable = settings.fsync !== 'off'
  await initCluster({ data_dir, native_dir, account, name, password, locale, is_durable })
  if (account !== undefined) await adoptCluster(cluster_dir, account)
  const marker = await readClusterMarker(cluster_dir)
  const onLog = options.onLog ?? (() => undefined)
  return { data_dir, native_dir, account, marker, settings, onLog, output_from: 0 }
}

async function startServer(cluster: Cluster, socket_directory: string): Promise<ServerProcess> {
  const cluster_dir = getClusterDirectory(cluster.data_dir)
  await endPredecessors(cluster.marker, cluster.onLog)
  await disarmPostmasterFile(cluster.data_dir, cluster.account)
  await removeSocketLock(socket_directory, SOCKET_PORT)
  const log = await openServerLog(getServerLogPath(cluster.data_dir))
  try {
    cluster.output_from = (await log.stat()).size
    const server = await launch({
      file: path.join(cluster.native_dir, 'bin', 'postgres'),
      account: cluster.account,
      needs: [cluster_dir],
      args: ([directory = '']) => ['-D', directory, ...buildSettingArguments(cluster, socket_directory)],
      output: log.fd,
    })
    guardServer(server, cluster.account)
    return server
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
    throw new PostgresProblem(`${reason}; the end of ${log_file}:\n${await readOutput(cluster)}`, {
      cause: error,
    })
  }
}

const readOutput = ({ data_dir, output_from }: Cluster): Promise<string> =>
  readLastLogLines(getServerLogPath(data_dir), output_from)
