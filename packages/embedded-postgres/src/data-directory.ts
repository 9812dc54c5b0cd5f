// The database's part of the data directory: its layout, its permissions, and the lock against a second Waybill
// process.
import { chmod, mkdir, realpath, rm, stat } from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import { getErrorCode } from './file-system.ts'
import { PostgresProblem } from './problem.ts'

const SHARED_WITH_OTHERS = 0o077
const STICKY = 0o1000

export interface DataDirectoryLock {
  release(): Promise<void>
}

/** Creates the directory if necessary, makes it private and returns its real path. */
export async function prepareDataDirectory(data_dir: string): Promise<string> {
  await mkdir(data_dir, { recursive: true, mode: 0o700 })
  const directory = await realpath(data_dir)
  const { mode } = await stat(directory)
  if ((mode & SHARED_WITH_OTHERS) === 0) return directory
  // Making / or /tmp private as root would break the machine.
  if ((mode & STICKY) !== 0 || directory === path.dirname(directory)) {
    throw new PostgresProblem(
      `The data directory ${data_dir} is shared with other programs: use a dedicated directory`,
    )
  }
  await chmod(directory, 0o700)
  return directory
}

export function getClusterDirectory(data_dir: string): string {
  return path.join(data_dir, 'postgres')
}

export async function lockDataDirectory(data_dir: string): Promise<DataDirectoryLock> {
  const directory = await prepareDataDirectory(data_dir)
  const server =
    process.platform === 'linux'
      ? await listenAbstract(directory)
      : await listenOnFile(path.join(directory, 'lock.sock'))
  if (server === undefined) throw makeInUseError(data_dir)
  return { release: () => close(server) }
}

/** Exported for its test: Linux uses an abstract socket name instead. */
export async function listenOnFile(file: string): Promise<net.Server | undefined> {
  const server = await listen(file)
  if (server !== undefined || (await isListening(file))) return server
  await rm(file, { force: true })
  return listen(file)
}

// The kernel frees an abstract name when its process exits, however that happens, so the lock cannot become stale.
async function listenAbstract(directory: string): Promise<net.Server | undefined> {
  const { dev, ino } = await stat(directory, { bigint: true })
  return listen(`\0waybill-data:${dev}:${ino}`)
}

function listen(name: string): Promise<net.Server | undefined> {
  const server = net.createServer(socket => socket.destroy())
  return new Promise((resolve, reject) => {
    server.once('error', error => (getErrorCode(error) === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen({ path: name }, () => resolve(server.unref()))
  })
}

function isListening(file: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = net.connect({ path: file })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function close(server: net.Server): Promise<void> {
  return new Promise(resolve => {
    // The only possible error is that it is already closed, and then there is nothing to release.
    server.close(() => resolve())
  })
}

function makeInUseError(data_dir: string): Error {
  const error = new Error(`The data directory ${data_dir} is in use by another Waybill process`)
  error.name = 'DataDirectoryInUse'
  return error
}
