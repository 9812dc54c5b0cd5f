// `npm run bench`: measures all documented performance figures, as ratios. Arguments choose files: `npm run bench --
// trail`.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare, root } from './prepare.mjs'
import { runStep } from './run-step.mjs'

prepare()
const { build } = await import('esbuild')
const selected = process.argv.slice(2)
/** `packages: 'external'` would leave our own packages to Node, which does not run TypeScript. */
const bundleOwnPackages = {
  name: 'own-packages',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@waybill\// }, ({ path }) => ({ path: fileURLToPath(import.meta.resolve(path)) })),
}
const files = readdirSync(join(root, 'bench'))
  .filter(
    file =>
      file.endsWith('.bench.ts') && (selected.length === 0 || selected.some(name => file.includes(name))),
  )
  .sort()
// Inside the server package, so that the bundle finds its dependencies and the folder of the package.
const folder = mkdtempSync(join(root, 'server', 'dist', '.bench-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const file of files) {
  const outfile = join(folder, basename(file).replace(/\.ts$/, '.mjs'))
  await build({
    entryPoints: [join(root, 'bench', file)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    plugins: [bundleOwnPackages],
  })
  runStep(file, process.execPath, [outfile], { BENCH_ROOT: root })
}
