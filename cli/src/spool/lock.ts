// Lets one process at a time deliver the spool, to keep the order of each stream. Takes over the lock of a
// process that no longer runs. Two senders would only break the order: every write has an idempotency key.
import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** How often the holder touches the lock. */
const TOUCH_MS = 5_000
/** After this long without a touch, its machine is gone. */
const STALE_MS = 60_000
const POLL_MS = 50

export interface Lock {
  release(): Promise<void>
}

/** Undefined if another process holds it for longer than `patience_ms`. */
export async function acquireLock(
  root: string,
  { patience_ms, now_ms }: { patience_ms: number; now_ms: () => number },
): Promise<Lock | undefined> {
  const path = join(root, 'lock')
  const deadline_ms = now_ms() + patience_ms
  for (;;) {
    if (await tryCreate(path)) return hold(path)
    if (await isAbandoned(path, now_ms())) await takeOver(path)
    else if (now_ms() >= deadline_ms) return undefined
    else await wait(POLL_MS)
  }
}

/**
 * Written elsewhere and linked, so that a lock always names its owner, even if that process is killed
 * immediately.
 */
async function tryCreate(path: string): Promise<boolean> {
  const own = `${path}.${randomUUID()}`
  await writeFile(own, JSON.stringify({ pid: process.pid, host: hostname() }), { mode: 0o600 })
  try {
    await link(own, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

function hold(path: string): Lock {
  const timer = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => undefined)
  }, TOUCH_MS)
  timer.unref()
  return {
    release: async () => {
      clearInterval(timer)
      await rm(path, { force: true })
    },
  }
}

async function isAbandoned(path: string, now_ms: number): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path)
    if (now_ms - mtimeMs > STALE_MS) return true
    const { pid, host } = JSON.parse(await readFile(path, 'utf8')) as { pid: number; host: string }
    return host === hostname() && !isRunning(pid)
  } catch (error) {
    // The holder released it meanwhile.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Takes over by a rename, which only one process can win. */
async function takeOver(path: string): Promise<void> {
  const abandoned = `${path}.${randomUUID()}`
  try {
    await rename(path, abandoned)
    await rm(abandoned, { force: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
