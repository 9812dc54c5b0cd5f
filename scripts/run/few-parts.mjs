// A bundler plugin. If a program loads most of its code late, the bundler splits it by the late parts that share a
// module, into dozens of small files that every start would have to find and read. With this plugin, everything that
// all commands load is one file.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * `shared` are files that are loaded before any other late part, in this order. Each late part declares that it needs
 * everything that those load; so the bundler sees no difference between the modules of one of them.
 */
export async function makeFewParts(build, options, shared) {
  const { metafile } = await build({ ...options, write: false, metafile: true })
  const inputs = new Map(
    Object.entries(metafile.inputs).map(([path, { imports }]) => [resolve(path), imports]),
  )
  const listImports = (path, kind) =>
    (inputs.get(path) ?? [])
      .filter(each => each.kind === kind && !each.external)
      .map(each => resolve(each.path))
  const late = new Set([...inputs.keys()].flatMap(path => listImports(path, 'dynamic-import')))
  return {
    name: 'few-parts',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.ts$/ }, ({ path }) => {
        if (!late.has(path)) return undefined
        const before = shared.slice(0, shared.includes(path) ? shared.indexOf(path) : shared.length)
        const files = new Set(
          before.flatMap(each => listAll(each, next => listImports(next, 'import-statement'))),
        )
        const imports = [...files].map(each => `\nimport ${JSON.stringify(each)}`)
        return { contents: readFileSync(path, 'utf8') + imports.join(''), loader: 'ts' }
      }),
  }
}

/** A file with its direct and indirect imports. */
function listAll(path, listNext) {
  const found = new Set([path])
  // Iterating over a set includes elements that are added meanwhile.
  for (const each of found) for (const next of listNext(each)) found.add(next)
  return [...found]
}
