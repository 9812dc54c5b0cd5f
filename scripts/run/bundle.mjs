// Bundles a TypeScript program of bench/ so that Node can run it. The folder of the bundles is removed at exit.
import { mkdtempSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './prepare.mjs'

/** `packages: 'external'` would leave our own packages to Node, which does not run TypeScript. */
const bundleOwnPackages = {
  name: 'own-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@waybill\// }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) })),
}

/** Returns a function from the path of a program to that of its bundle. */
export function makeBundler() {
  // Inside the server package, so that the bundle finds its dependencies and the folder of the package.
  const folder = mkdtempSync(join(root, 'server', 'dist', '.bench-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return async path => {
    const { build } = await import('esbuild')
    const outfile = join(folder, basename(path).replace(/\.ts$/, '.mjs'))
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
