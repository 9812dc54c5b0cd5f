// `npm run docs:cli`: writes docs/cli.md and the index of the commands from the commands. Bundles the writer first, because Node cannot run TypeScript.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeBundler } from '../run/bundle.mjs'
import { prepare, root } from '../run/prepare.mjs'

prepare()
const bundle = makeBundler()
const load = async path => import(pathToFileURL(await bundle(path)).href)
const [{ writeDocument }, { writeIndex }, { commands, COMMAND_GROUPS }] = [
  await load('cli/src/document.ts'),
  await load('cli/src/write-index.ts'),
  await load('cli/src/commands.ts'),
]
writeFileSync(join(root, 'docs', 'cli.md'), writeDocument(commands))
writeFileSync(join(root, 'cli', 'src', 'command-index.json'), writeIndex(COMMAND_GROUPS))
