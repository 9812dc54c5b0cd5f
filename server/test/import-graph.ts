// The import graph of our files, and its cycles. Type imports and lazy imports count too: they also determine which
// of two files a reader needs to understand first.
import { join } from 'node:path/posix'
import ts from 'typescript'

/** The imports of each node. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/** A file, with its path from the root of the repository. */
export interface ImportingFile {
  path: string
  text: string
}

/** Imports between files. Ignores packages and files that are not given. */
export function buildFileGraph(files: readonly ImportingFile[]): Graph {
  const paths = new Set(files.map(({ path }) => path))
  return new Map(
    files.map(({ path, text }) => {
      const { importedFiles } = ts.preProcessFile(text, true, true)
      const targets = importedFiles
        .filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => join(path, '..', fileName))
      return [path, new Set(targets.filter(target => paths.has(target)))]
    }),
  )
}

/** Merges nodes for which `getGroup` returns the same group. Omits nodes without a group. */
export function groupNodes(graph: Graph, getGroup: (node: string) => string | undefined): Graph {
  const groups = new Map<string, Set<string>>()
  for (const [node, targets] of graph) {
    const group = getGroup(node)
    if (group === undefined) continue
    const imported = groups.get(group) ?? new Set()
    groups.set(group, imported)
    for (const target of targets) {
      const other = getGroup(target)
      if (other !== undefined && other !== group) imported.add(other)
    }
  }
  return groups
}

/** A shortest cycle through each node that is in a cycle, each cycle once: `a → b → a`. */
export function findCycles(graph: Graph): string[] {
  const cycles = new Map<string, string>()
  for (const node of [...graph.keys()].sort()) {
    const cycle = findShortestCycle(graph, node)
    if (cycle) cycles.set([...cycle].sort().join(), cycles.get([...cycle].sort().join()) ?? format(cycle))
  }
  return [...cycles.values()]
}

function findShortestCycle(graph: Graph, start: string): string[] | undefined {
  const importers = new Map<string, string>()
  for (const queue = [start]; queue.length > 0; ) {
    const node = queue.shift() ?? start
    for (const target of graph.get(node) ?? []) {
      if (target === start) return trace(importers, start, node)
      if (importers.has(target)) continue
      importers.set(target, node)
      queue.push(target)
    }
  }
  return undefined
}

function trace(importers: ReadonlyMap<string, string>, start: string, last: string): string[] {
  const path = [last]
  for (let node = last; node !== start; ) {
    node = importers.get(node) ?? start
    path.unshift(node)
  }
  return path
}

function format(cycle: readonly string[]): string {
  return [...cycle, cycle[0]].join(' → ')
}
