// A copy of the working tree to plant faults in, so that the tree itself is never touched and an interrupted run leaves
// nothing in it. Installed packages are linked, one by one: what a run writes beside them stays in the copy.
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

const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'dist'])
/** What a tool keeps for itself there is made anew in the copy. */
const KEPT_BY_TOOLS = /^\.(?!bin$)/

export function makeScratch() {
  const scratch = mkdtempSync(join(tmpdir(), 'waybill-mutate-'))
  // Run by root, PostgreSQL becomes another user, who must be able to come by.
  chmodSync(scratch, 0o711)
  const tree = join(scratch, 'tree')
  cpSync(root, tree, { recursive: true, filter: source => !LEFT_OUT.has(basename(source)) })
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
  const installed = join(root, 'node_modules')
  const linked = join(tree, 'node_modules')
  mkdirSync(linked)
  for (const entry of readdirSync(installed, { withFileTypes: true })) {
    if (KEPT_BY_TOOLS.test(entry.name)) continue
    // A package of ours is a relative link, and leads to the copy from there.
    const target = entry.isSymbolicLink()
      ? readlinkSync(join(installed, entry.name))
      : join(installed, entry.name)
    symlinkSync(target, join(linked, entry.name))
  }
}
