// The packages whose code is in our build, with their licences, which must be distributed with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../run/build.mjs'
import { listNeeded } from './lock.mjs'

/** Tools and types of the web app, which leave no code in the build. */
const BUILD_ONLY = /^(@types\/|vite$|@vitejs\/)/
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i

/** The workspaces that the server, the command line and the web app are built from. */
export function listBundled(packages) {
  const all = [
    ...listNeeded(packages, Object.keys(packages.server.dependencies), 'server'),
    ...listNeeded(packages, Object.keys(packages.cli.dependencies), 'cli'),
    ...listNeeded(packages, Object.keys(packages.client.dependencies), 'client'),
    ...listNeeded(
      packages,
      Object.keys(packages.web.devDependencies).filter(name => !BUILD_ONLY.test(name)),
      'web',
    ),
  ]
  const by_path = new Map(all.map(each => [each.path, each]))
  return [...by_path.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

export function writeNotices(bundled) {
  const sections = bundled.map(({ path, name, version, license }) => {
    const folder = join(root, path)
    const files = existsSync(folder)
      ? readdirSync(folder)
          .filter(file => LICENSE_FILE.test(file))
          .sort()
      : []
    const texts = files.map(file => readFileSync(join(folder, file), 'utf8').trim())
    return [`${name} ${version} (${license ?? 'see its text'})`, ...texts].join('\n\n')
  })
  const line = `\n\n${'-'.repeat(80)}\n\n`
  return `Waybill contains code of these packages.${line}${sections.join(line)}\n`
}
