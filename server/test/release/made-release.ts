// The files of the release that `npm run check -- release` checks.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.WAYBILL_RELEASE ?? ''

/** The path of the only file whose name matches. */
export function findAsset(pattern: RegExp): string {
  const found = readdirSync(folder).filter(name => pattern.test(name))
  if (found.length !== 1) throw new Error(`${folder} has ${found.length} files for ${pattern}`)
  return join(folder, found[0] ?? '')
}

export const version = /^waybill-client-(.*)\.tgz$/.exec(
  findAsset(/^waybill-client-.*\.tgz$/).slice(folder.length + 1),
)?.[1]
