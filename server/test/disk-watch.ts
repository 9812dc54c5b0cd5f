// Watches file system calls and knows what a power loss could destroy at any time. Content is safe after `fsync` of its
// file, a name after `fsync` of its folder; nothing else makes either safe. The real calls go through; only `fsync` is
// a little slower, so that code that does not wait for it is caught.
import fs, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const SLOW_SYNC_MS = 20

export interface DiskWatch {
  /** Everything a power loss could destroy now, as `content of <path>` and `name of <path>`. */
  listAtRisk(): string[]
  /** Files that were named before their content was on the disk: a power loss leaves garbage under that name. */
  named_too_early: string[]
  /** Every path written or named, so that a test can check that it saw something. */
  seen: Set<string>
  stop(): void
}

export function watchDisk(): DiskWatch {
  const real = { ...fs }
  const notes = makeNotes()
  Object.assign(fs, wrapCalls(real, notes))
  syncBuiltinESMExports()
  return {
    listAtRisk: notes.atRisk,
    named_too_early: notes.named_too_early,
    seen: notes.seen,
    stop: () => {
      Object.assign(fs, real)
      syncBuiltinESMExports()
    },
  }
}

type Notes = ReturnType<typeof makeNotes>

/** Tracks data that is not on the disk yet. */
function makeNotes() {
  const contents = new Set<string>()
  const names = new Set<string>()
  const named_too_early: string[] = []
  const seen = new Set<string>()
  return {
    named_too_early,
    seen,
    atRisk: () => [
      ...[...contents].map(path => `content of ${path}`),
      ...[...names].map(path => `name of ${path}`),
    ],
    write: (path: string) => void contents.add(path),
    name: (path: string) => {
      names.add(path)
      seen.add(path)
    },
    rename: (from: string, to: string) => {
      if (contents.has(from)) named_too_early.push(to)
      names.add(to)
      seen.add(to)
    },
    /** A removed name that reappears after a power loss is harmless. */
    forget: (path: string) => {
      for (const set of [contents, names])
        for (const known of set) if (known === path || known.startsWith(`${path}/`)) set.delete(known)
    },
    sync: (path: string) => {
      contents.delete(path)
      for (const name of names) if (dirname(name) === path) names.delete(name)
    },
  }
}

/** The calls that the program makes, each recorded after it returns. */
function wrapCalls(real: typeof fs, notes: Notes): object {
  return {
    open: async (file: string, flags = 'r', mode?: number) => {
      const handle = await real.open(file, flags, mode)
      if (/[wa]/.test(flags)) notes.name(resolve(file))
      return wrapHandle(handle, resolve(file), notes)
    },
    writeFile: async (...args: Parameters<typeof real.writeFile>) => {
      await real.writeFile(...args)
      notes.name(resolve(String(args[0])))
      notes.write(resolve(String(args[0])))
    },
    rename: async (from: string, to: string) => {
      await real.rename(from, to)
      notes.rename(resolve(from), resolve(to))
      notes.forget(resolve(from))
    },
    link: async (from: string, to: string) => {
      await real.link(from, to)
      notes.rename(resolve(from), resolve(to))
    },
    rm: async (path: string, options?: Parameters<typeof real.rm>[1]) => {
      await real.rm(path, options)
      notes.forget(resolve(path))
    },
    mkdir: async (folder: string, options?: Parameters<typeof real.mkdir>[1]) => {
      const first = await real.mkdir(folder, options)
      if (first === undefined) return first
      for (let made = resolve(folder); made.startsWith(resolve(first)); made = dirname(made)) notes.name(made)
      return first
    },
  }
}

function wrapHandle(handle: FileHandle, path: string, notes: Notes): FileHandle {
  const { writeFile, write, sync } = handle
  handle.writeFile = async (...args) => {
    notes.write(path)
    await writeFile.apply(handle, args)
  }
  handle.write = (async (...args: Parameters<typeof write>) => {
    notes.write(path)
    return write.apply(handle, args)
  }) as typeof write
  handle.sync = async () => {
    await sleep(SLOW_SYNC_MS)
    await sync.apply(handle)
    notes.sync(path)
  }
  return handle
}
