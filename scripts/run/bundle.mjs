// Bundles a TypeScript program of bench/ so that Node can run it. Removes the bundle folder at exit.
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'

/** `packages: 'external'` would leave our own packages to Node, which does not run TypeScript. */
const bundleOwnPackages = {
  name: 'own-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@waybill\// }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) })),
}

/** Returns a function that maps the path of a program to the path of its bundle. */
export function makeBundler() {
  // Inside the server package, so that the bundle finds the package's dependencies and folder.
  const folder = mkdtempSync(join(root, 'server', 'dist', '.bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return async path => {
    const { build } = await import('esbuild')
    // Two programs may have the same base name.
    const outfile = join(folder, path.replaceAll('/', '-').replace(/\.ts$/, '.mjs'))
    await build({
      entryPoints: [join(root, path)],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      plugins: [bundleOwnPackages],
    })
    return outfile
  }
}
