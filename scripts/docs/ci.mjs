// `npm run docs:ci`: writes the pipelines below deploy/ci, and docs/ci.md, from their table. Bundles the writer first,
// because Node cannot run TypeScript.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeBundler } from '../run/bundle.mjs'
import { prepare, root } from '../run/prepare.mjs'

prepare()
const { writePipelines } = await import(pathToFileURL(await makeBundler()('cli/src/pipelines/write.ts')).href)
const { version } = JSON.parse(readFileSync(join(root, 'cli', 'package.json'), 'utf8'))
for (const [path, text] of writePipelines(version)) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
