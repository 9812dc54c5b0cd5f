// Writes docs/operate/settings.md from the table of settings. Bundles the writer first, because Node cannot run TypeScript.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeBundler } from './bundle.mjs'
import { prepare, root } from './prepare.mjs'

prepare()
const { writeSettingsPage } = await import(
  pathToFileURL(await makeBundler()('server/src/settings/write.ts')).href
)
const page = join(root, 'docs', 'operate', 'settings.md')
mkdirSync(dirname(page), { recursive: true })
writeFileSync(page, writeSettingsPage())
