// Random folders: any change of any entry changes the dir-v2 fingerprint, and nothing else does.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fingerprintDirectoryV2 } from './dir-v2.ts'
import { fillTree, type TreeEntry } from './tree.testing.ts'

/** Each run creates two folders on disk. */
const RUNS = 25

const anyName = fc.oneof(
  fc.constantFrom('a', 'b', 'a.b', 'a-', 'é', '日本', 'x\ny', ' ', '[', '*', '\\', 'f\u0001'),
  fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom('a', 'b', '.', '-', '0') }),
)
const anyText = fc.constantFrom('', 'a', 'b', '\n', 'x\nf', 'longer text')

interface Node {
  kind: 'file' | 'folder' | 'link'
  text: string
  is_executable: boolean
  children: Map<string, Node>
}

const isUsable = (name: string) => name !== '.' && name !== '..'
const anyNode: (depth: number) => fc.Arbitrary<Node> = depth =>
  fc.record({
    kind: depth === 0 ? fc.constantFrom('file', 'link') : fc.constantFrom('file', 'folder', 'link'),
    text: anyText,
    is_executable: fc.boolean(),
    children: depth === 0 ? fc.constant(new Map()) : anyChildren(depth - 1),
  }) as fc.Arbitrary<Node>
const anyChildren = (depth: number): fc.Arbitrary<Map<string, Node>> =>
  fc.array(fc.tuple(anyName.filter(isUsable), anyNode(depth)), { maxLength: 4 }).map(pairs => new Map(pairs))

/** The target of a link is never empty. */
const getTarget = (text: string) => `t${text}`

function listEntries(children: ReadonlyMap<string, Node>, above = ''): TreeEntry[] {
  return [...children].flatMap(([name, node]) => {
    const path = above + name
    const { kind, text, is_executable } = node
    if (kind === 'file') return [{ path, kind, text, is_executable }]
    if (kind === 'link') return [{ path, kind, target: getTarget(text) }]
    return [{ path, kind }, ...listEntries(node.children, `${path}/`)]
  })
}

const CHANGES = ['rename', 'mode', 'text', 'kind', 'remove', 'add folder', 'add file'] as const
type Change = (typeof CHANGES)[number]

/** Changes one entry, and returns whether the folder is different now. */
function applyChange(tree: Map<string, Node>, change: Change, pick: number): boolean {
  const places = listPlaces(tree)
  const place = places[pick % Math.max(places.length, 1)]
  const parent = place?.parent ?? tree
  const empty: Node = { kind: 'folder', text: '', is_executable: false, children: new Map() }
  if (change === 'add folder') parent.set('new', empty)
  else if (change === 'add file') parent.set('new', { ...empty, kind: 'file' })
  else if (place === undefined) return false
  else return changeNode(parent, place.name, change)
  return true
}

function changeNode(parent: Map<string, Node>, name: string, change: Change): boolean {
  const node = parent.get(name) as Node
  if (change === 'rename' || change === 'remove') {
    parent.delete(name)
    if (change === 'rename') parent.set(`${name}_`.repeat(parent.has(`${name}_`) ? 5 : 1), node)
  } else if (change === 'mode') {
    node.is_executable = !node.is_executable
    return node.kind === 'file'
  } else if (change === 'text') {
    node.text += '\n'
    return node.kind !== 'folder'
  } else {
    node.kind = node.kind === 'link' ? 'file' : 'link'
    node.text = node.kind === 'file' ? getTarget(node.text) : node.text.replace(/^t/, '')
    node.children = new Map()
  }
  return true
}

function listPlaces(children: Map<string, Node>): { parent: Map<string, Node>; name: string }[] {
  return [...children].flatMap(([name, node]) => [
    { parent: children, name },
    ...(node.kind === 'folder' ? listPlaces(node.children) : []),
  ])
}

async function fingerprint(entries: readonly TreeEntry[]): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'waybill-fingerprints-'))
  try {
    await fillTree(join(scratch, 'tree'), entries)
    return (await fingerprintDirectoryV2(join(scratch, 'tree'), { exclude: [] })).fingerprint
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

describe('a random folder', () => {
  it.each(CHANGES)('has another dir-v2 fingerprint after a change: %s', async change => {
    const anyTree = anyChildren(2)
    await fc.assert(
      fc.asyncProperty(anyTree, fc.nat(), async (tree, pick) => {
        const changed = structuredClone(tree)
        fc.pre(applyChange(changed, change, pick))
        expect(await fingerprint(listEntries(changed))).not.toBe(await fingerprint(listEntries(tree)))
      }),
      { numRuns: RUNS },
    )
  })

  it('has the same fingerprint in whatever order it was created', async () => {
    await fc.assert(
      fc.asyncProperty(anyChildren(2), async tree => {
        const reversed = new Map([...tree].reverse())
        expect(await fingerprint(listEntries(reversed))).toBe(await fingerprint(listEntries(tree)))
      }),
      { numRuns: RUNS },
    )
  })
})
