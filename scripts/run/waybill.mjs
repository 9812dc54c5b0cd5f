// `npm run --silent waybill -- …`: prepares the clone and runs the program.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from './prepare.mjs'

process.env.NODE_ENV ??= 'production'
prepare()
await import(pathToFileURL(join(root, 'cli', 'dist', 'main.js')).href)
