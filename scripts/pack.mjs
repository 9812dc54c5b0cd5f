// `npm run pack [-- folder]`: packs the command line as it would be published, for `npx waybill`. The build has all of its
// packages in it, except those that find files beside their own code.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './build.mjs'
import { EXTERNAL_PACKAGES } from './bundle-options.mjs'
import { prepare } from './prepare.mjs'

const CLI = join(root, 'cli')

/** Writes the files of the package. Source maps stay out: they name files that the package does not have. */
export function stagePackage(folder) {
  const manifest = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'))
  const { private: _private, dependencies, ...published } = manifest
  const needed = Object.entries(dependencies).filter(([name]) => EXTERNAL_PACKAGES.includes(name))
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ ...published, files: ['dist'], dependencies: Object.fromEntries(needed) }, null, 2)}\n`,
  )
  cpSync(join(CLI, 'README.md'), join(folder, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  cpSync(join(CLI, 'dist', 'package.json'), join(folder, 'dist', 'package.json'))
  for (const name of readdirSync(join(CLI, 'dist')).filter(each => each.endsWith('.js'))) {
    const code = readFileSync(join(CLI, 'dist', name), 'utf8')
    writeFileSync(join(folder, 'dist', name), code.replace(/^\/\/# sourceMappingURL=.*\n?/m, ''))
  }
}

/** Returns the path of the packed file, which is in the folder. */
export function packProgram(folder) {
  const staged = mkdtempSync(join(tmpdir(), 'waybill-pack-'))
  try {
    stagePackage(staged)
    const npm = spawnSync(
      'npm',
      ['pack', '--json', '--pack-destination', folder, '--offline', '--loglevel=error'],
      {
        cwd: staged,
        encoding: 'utf8',
      },
    )
    if (npm.status !== 0) throw new Error(`npm pack failed: ${npm.stderr}`)
    const [{ filename }] = JSON.parse(npm.stdout)
    return join(folder, filename)
  } finally {
    rmSync(staged, { recursive: true, force: true })
  }
}

/** Installs the packed file and its dependencies into an empty folder. Returns the path of the program. */
export function installPacked(file, prefix) {
  const options = [
    '--global',
    '--prefix',
    prefix,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  const npm = spawnSync('npm', ['install', ...options, file], { stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) throw new Error('npm install failed')
  return join(prefix, 'bin', 'waybill')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  prepare()
  console.log(packProgram(resolve(process.argv[2] ?? '.')))
}
