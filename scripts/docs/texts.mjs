// `npm run docs -- texts`: prints every text of the web app, page by page, so that somebody can read them aloud. Texts with values
// are printed with the names of their parameters: `Removed {user} from {org}`.
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const source = fileURLToPath(new URL('../../web/src', import.meta.url))
const TEXT_FILE = /^texts.*\.ts$/

const files = readdirSync(source, { recursive: true })
  .filter(path => TEXT_FILE.test(basename(path)))
  .sort()
for (const file of files) await printTexts(file)

async function printTexts(file) {
  console.log(`\n# ${file}`)
  for (const texts of Object.values(await load(join(source, file)))) printValue(texts)
}

/** Bundles the module, because a text may use one of the app's formatters. */
async function load(path) {
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    format: 'esm',
    write: false,
    loader: { '.css': 'empty' },
  })
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`)
}

/** An empty line separates groups of texts. */
function printValue(value) {
  if (typeof value === 'string') console.log(value)
  else if (typeof value === 'function') printValue(value(...listParameters(value).map(name => `{${name}}`)))
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object') console.log()
      printValue(inner)
    }
  }
}

/** The names between the parentheses of an arrow function. */
function listParameters(text) {
  const [, parameters = ''] = /^\(?([^)=]*)\)?\s*=>/.exec(String(text)) ?? []
  return parameters.split(',').flatMap(name => name.trim() || [])
}
