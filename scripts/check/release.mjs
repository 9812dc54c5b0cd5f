// `npm run check -- release`: makes the release of this commit twice, in two new clones, and compares the hashes.
// Then it installs the release with npm, from the tarball and as a container, each in an empty place, and uses it
// (server/test/release/*.check.ts). Takes minutes. Needs the registries of npm and Debian and, for the container,
// root and runc.
//
// `npm run check -- release <folder>` checks the files that are there, without making them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { CACHE } from '../run/package-cache.mjs'
import { prepare, root } from '../run/prepare.mjs'
import { getBinPath, runStep } from '../run/run-step.mjs'

/** Not the version of any release, so that no file can have it by chance. */
const VERSION = '0.0.0-check.1'

prepare()
const scratch = mkdtempSync(join(tmpdir(), 'waybill-check-release-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))
const made = process.argv[2] === undefined ? makeTwice() : resolve(process.argv[2])
runStep('the checksums', 'sh', ['-c', 'cd "$0" && sha256sum --check --quiet SHA256SUMS', made])
runStep('the release, installed', getBinPath('vitest'), ['run', '--config', 'vitest.release.config.ts'], {
  WAYBILL_RELEASE: made,
})
console.log('The release passes.')

/**
 * Returns the folder of the second release. The folder names differ in length, so that no path can hide in a file.
 */
function makeTwice() {
  const [first, second] = ['one', 'the-other-one'].map(makeIn)
  const read = folder => readFileSync(join(folder, 'SHA256SUMS'), 'utf8')
  if (read(first) !== read(second)) {
    spawnSync('diff', [join(first, 'SHA256SUMS'), join(second, 'SHA256SUMS')], { stdio: 'inherit' })
    console.error('The two releases differ.')
    process.exit(1)
  }
  console.log('Both releases have the same hashes.')
  return second
}

function makeIn(name) {
  const clone = join(scratch, name, 'clone')
  const files = join(scratch, name, 'files')
  mkdirSync(files, { recursive: true })
  runStep(`clone ${name}`, 'git', ['clone', '--quiet', '--no-hardlinks', root, clone])
  const release = join(clone, 'scripts', 'release', 'release.mjs')
  runStep(`release ${name}`, process.execPath, [release, '--version', VERSION, '--to', files], {
    TEST_CACHE: CACHE,
  })
  rmSync(clone, { recursive: true, force: true })
  return files
}
