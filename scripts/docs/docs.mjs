// `npm run docs`: writes every generated page from the code: docs/cli.md, docs/operate/settings.md, docs/ci.md and
// the pipelines in deploy/ci. `-- --list` lists what else can be generated for the documents. Bundles the writers
// first, because Node cannot run TypeScript.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeBundler } from '../run/bundle.mjs'
import { runCommand } from '../run/choose.mjs'
import { prepare, root } from '../run/prepare.mjs'

await runCommand('docs', import.meta.dirname, async () => {
  prepare()
  const bundle = makeBundler()
  const load = async path => import(pathToFileURL(await bundle(path)).href)
  const { commands } = await load('cli/src/commands.ts')
  const { writeDocument } = await load('cli/src/document.ts')
  const { writePipelines } = await load('cli/src/pipelines/write.ts')
  const { writeSettingsPage } = await load('server/src/settings/write.ts')
  const { version } = JSON.parse(readFileSync(join(root, 'cli', 'package.json'), 'utf8'))
  write('docs/cli.md', writeDocument(commands))
  write('docs/operate/settings.md', writeSettingsPage())
  for (const [path, text] of writePipelines(version)) write(path, text)
})

function write(path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
