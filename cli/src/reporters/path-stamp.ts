// A cheap way to detect changes of files and folders: names, sizes, times, modes and inodes, without reading
// any content.
import { createHash } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Equal stamps mean that nothing was written, unless somebody set the times back. */
export async function stampPaths(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  const waiting = [...paths].reverse()
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const stats = await lstat(path, { bigint: true }).catch(() => undefined)
    hash.update(
      `${path}\0${stats?.mode}\0${stats?.size}\0${stats?.mtimeNs}\0${stats?.ctimeNs}\0${stats?.ino}\n`,
    )
    if (!stats?.isDirectory()) continue
    // The file may be gone by now; the next stamp differs then.
    const names = await readdir(path).catch(() => [])
    for (const name of names.sort().reverse()) waiting.push(join(path, name))
  }
  return hash.digest('hex')
}
