// `npm run docs:cli`: writes docs/cli.md from the commands. Bundles the writer first, because Node cannot run TypeScript.
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { EXTERNAL_PACKAGES, REQUIRE, root } from './build.mjs'

const bundle = join(root, 'cli', 'dist', `docs-${process.pid}.mjs`)
try {
  await build({
    stdin: {
      contents: "export { writeDocument } from './document.ts'\nexport { commands } from './commands.ts'\n",
      resolveDir: join(root, 'cli', 'src'),
      loader: 'ts',
    },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: EXTERNAL_PACKAGES,
    banner: { js: REQUIRE },
    logLevel: 'error',
  })
  const { commands, writeDocument } = await import(pathToFileURL(bundle).href)
  writeFileSync(join(root, 'docs', 'cli.md'), writeDocument(commands))
} finally {
  rmSync(bundle, { force: true })
}
