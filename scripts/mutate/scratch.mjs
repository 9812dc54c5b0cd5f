// Creates a copy of the working tree for planting faults, so that the tree itself is never changed. Installed
// packages are linked one by one, so that files that a run writes beside them stay in the copy.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root } from '../prepare.mjs'

const EXCLUDED = new Set(['.git', 'node_modules', 'data', 'dist'])
/** Caches of tools, which are created again in the copy. */
const TOOL_CACHE = /^\.(?!bin$)/

export function makeScratch() {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-mutate-'))
  // When started by root, PostgreSQL runs as another user, who must be able to enter this folder.
  chmodSync(scratch, 0o711)
  const tree = join(scratch, 'tree')
  cpSync(root, tree, { recursive: true, filter: source => !EXCLUDED.has(basename(source)) })
  linkPackages(tree)
  const temporary = join(scratch, 'tmp')
  mkdirSync(temporary)
  chmodSync(temporary, 0o1777)
  return {
    tree,
    temporary,
    remove: () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }),
  }
}

function linkPackages(tree) {
  linkEntries(join(root, 'node_modules'), join(tree, 'node_modules'))
}

function linkEntries(installed, linked) {
  mkdirSync(linked)
  for (const entry of readdirSync(installed, { withFileTypes: true })) {
    if (TOOL_CACHE.test(entry.name)) continue
    if (entry.name.startsWith('@')) {
      linkEntries(join(installed, entry.name), join(linked, entry.name))
      continue
    }
    // Our own packages are relative links, which point into the copy from there.
    const target = entry.isSymbolicLink()
      ? readlinkSync(join(installed, entry.name))
      : join(installed, entry.name)
    symlinkSync(target, join(linked, entry.name))
  }
}
