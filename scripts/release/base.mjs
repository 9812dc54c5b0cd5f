// The lowest layer of the image: the few Debian packages that Node and PostgreSQL need, listed in base.lock.json, and
// the account that runs the service. It has no package manager, and a shell only because PostgreSQL's initdb starts
// its programs with one.
import { spawnSync } from 'node:child_process'
import { makeFile, readTar } from './entries.mjs'
import { fetchDebian } from './fetch.mjs'
import { base_lock } from './product.mjs'

export const USER_ID = 10001

/** Manuals, translations, and character set tables, which neither program reads. */
const UNUSED = /^usr\/(share\/(man|locale|info|lintian|bug|doc-base)|lib\/[^/]+\/gconv)(\/|$)/
const DOCUMENT = /^usr\/share\/doc\//
const COPYRIGHT = /^usr\/share\/doc\/[^/]+\/copyright$/
const ANYONE_MAY_WRITE = 0o1777

export async function listBase(arch) {
  const all = new Map()
  for (const locked of base_lock.debian[arch]) {
    for (const entry of await readDebian(locked)) if (isUsed(entry)) all.set(entry.path, entry)
  }
  // Our files replace those of the packages.
  for (const entry of listAccount()) all.set(entry.path, entry)
  return [...all.values()]
}

function isUsed({ path, folder }) {
  if (UNUSED.test(path)) return false
  if (DOCUMENT.test(path)) return !folder && COPYRIGHT.test(path)
  return true
}

/** Includes the description that image scanners look for. */
async function readDebian(locked) {
  const file = await fetchDebian({ ...locked, snapshot: base_lock.debian.snapshot })
  const description = runDpkg(['--field', file])
  return [
    ...(await readTar(runDpkg(['--fsys-tarfile', file]))),
    makeFile(`var/lib/dpkg/status.d/${locked.name}`, description),
  ]
}

/** Group 0 may also write to /data: OpenShift runs containers with a random user id in that group. */
function listAccount() {
  return [
    makeFile(
      'etc/passwd',
      `root:x:0:0:root:/root:/usr/sbin/nologin\nwaybill:x:${USER_ID}:${USER_ID}:Waybill:/data:/usr/sbin/nologin\n`,
    ),
    makeFile('etc/group', `root:x:0:\nwaybill:x:${USER_ID}:\n`),
    makeFile('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    { path: 'data', folder: true, mode: 0o770, uid: USER_ID, gid: 0 },
    { path: 'tmp', folder: true, mode: ANYONE_MAY_WRITE },
  ]
}

function runDpkg(args) {
  const done = spawnSync('dpkg-deb', args, { maxBuffer: 2 ** 30 })
  if (done.error)
    throw new Error('The image needs dpkg-deb, which Debian and Ubuntu have', { cause: done.error })
  if (done.status !== 0) throw new Error(`dpkg-deb failed: ${done.stderr}`)
  return done.stdout
}
