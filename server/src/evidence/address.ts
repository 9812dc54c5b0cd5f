// The path of an object below the root or prefix of a store: `<org_id>/<first two digits>/<sha256>`.
import { assert } from '../lib/assert.ts'
import type { AnchorName } from './evidence.ts'

const ORG_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const SHA256 = /^[0-9a-f]{64}$/

export interface Address {
  org_id: string
  sha256: string
}

export function buildPath({ org_id, sha256 }: Address): string {
  assert(ORG_ID.test(org_id), 'an org id is a UUID')
  assert(SHA256.test(sha256), 'a hash is 64 lower-case hexadecimal digits')
  return `${org_id}/${sha256.slice(0, 2)}/${sha256}`
}

/** The folder of all anchors. */
export const ANCHORS = 'log/'
const ANCHOR_NAME = /^[0-9-]{1,40}$/

/** The path of an org's anchors, which no attachment has: `log/<org_id>/<name>`. */
export function buildAnchorPath(org_id: string, name = ''): string {
  assert(ORG_ID.test(org_id), 'an org id is a UUID')
  assert(name === '' || ANCHOR_NAME.test(name), 'the name of an anchor consists of digits')
  return `${ANCHORS}${org_id}/${name}`
}

/** Returns undefined for foreign files. */
export function parseAnchorPath(path: string): AnchorName | undefined {
  const [, org_id = '', name = ''] = path.split('/')
  const isOurs = ORG_ID.test(org_id) && ANCHOR_NAME.test(name) && path === buildAnchorPath(org_id, name)
  return isOurs ? { org_id, name } : undefined
}

/** Returns undefined for foreign files, which a store never touches. */
export function parsePath(path: string): Address | undefined {
  const [org_id = '', , sha256 = ''] = path.split('/')
  const isOurs = ORG_ID.test(org_id) && SHA256.test(sha256) && path === buildPath({ org_id, sha256 })
  return isOurs ? { org_id, sha256 } : undefined
}
