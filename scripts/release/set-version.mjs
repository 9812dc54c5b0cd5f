// `npm run release -- version 1.2.3`: sets the version of the repository and closes the section of the changelog. Commits nothing.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'
import { chooseVersion } from './source.mjs'
import { closeSection, setLockVersion, setVersion } from './version.mjs'

if (process.argv[2] === undefined) {
  console.error('Say which version: npm run release -- version 1.2.3')
  process.exit(1)
}
const version = chooseVersion(process.argv[2])
const today = new Date().toISOString().slice(0, 10)
const packages = readdirSync(join(root, 'packages')).map(name => join('packages', name))
rewrite('CHANGELOG.md', text => closeSection(text, version, today))
for (const folder of ['', 'server', 'client', 'cli', 'web', ...packages])
  rewriteJson(join(folder, 'package.json'), manifest => setVersion(manifest, version))
rewriteJson('package-lock.json', lock => setLockVersion(lock, version))
console.log(`The repository has version ${version}. Read docs/releasing.md for what comes next.`)

function rewriteJson(path, change) {
  rewrite(path, text => `${JSON.stringify(change(JSON.parse(text)), null, 2)}\n`)
}

function rewrite(path, change) {
  const file = join(root, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
