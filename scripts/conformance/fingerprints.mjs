// `npm run conformance -- fingerprints`: compares our folder fingerprints with those of the unmodified client. Uses
// the method `dir`, for random trees and for the edge cases in vectors/dir.json of packages/fingerprints. Needs a
// `kosli` binary; without it, it is skipped. Arguments: the number of trees, and the seed. `--record` writes the
// file.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { makeBundler } from '../run/bundle.mjs'
import { root } from '../run/prepare.mjs'
import { findClientBinary } from './client-binary.mjs'
import { makeExclusions, makeRandom, makeTree } from './fingerprints/random.mjs'

const VECTORS = join(root, 'packages/fingerprints/vectors/dir.json')
const ROOTS = ['tree', 'tree', 'tree', 'tr[ae]e', 't*e', 't?', 'tr[', 'back\\slash', 'a**b']
const SPELLINGS = [
  name => name,
  name => `./${name}`,
  name => `${name}/`,
  name => `../here/${name}`,
  name => join(process.cwd(), name),
]

const isRecording = process.argv.includes('--record')
const [trees = 1500, seed = 1] = process.argv
  .slice(2)
  .filter(each => /^\d+$/.test(each))
  .map(Number)
const binary = findClientBinary()
if (binary === undefined) process.exit(0)
const folder = mkdtempSync(join(tmpdir(), 'waybill-fingerprints-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const { fingerprintDirectory } = await loadPackage()
mkdirSync(join(folder, 'here'))
process.chdir(join(folder, 'here'))

const differences = isRecording ? await record() : [...(await compareVectors()), ...(await compareRandom())]
for (const difference of differences.slice(0, 10)) console.log(difference)
console.log(`${trees} random trees with seed ${seed} and the vectors: ${differences.length} differences`)
process.exitCode = differences.length === 0 ? 0 : 1

async function compareRandom() {
  const found = []
  const counts = { equal: 0, refused_by_both: 0 }
  for (let tree = 0; tree < trees; tree++) {
    const random = makeRandom(seed * 1_000_003 + tree)
    const entries = makeTree(random)
    const exclude = makeExclusions(random)
    const name = random.chance(75) ? 'tree' : random.pick(ROOTS)
    const path = random.pick(SPELLINGS)(name)
    makeEntries(name, entries)
    const [theirs, ours] = [askClient(path, exclude), await askPackage(path, exclude)]
    rmSync(name, { recursive: true, force: true })
    if (theirs.fingerprint === ours.fingerprint) counts[ours.fingerprint ? 'equal' : 'refused_by_both']++
    else found.push({ tree, path, exclude, theirs, ours, entries: entries.map(describe) })
  }
  console.log(`equal: ${counts.equal}, refused by both: ${counts.refused_by_both}`)
  return found.map(each => JSON.stringify(each, null, 2))
}

/** The edge cases, each with the client's output when they were recorded. */
async function compareVectors() {
  const { cases } = JSON.parse(readFileSync(VECTORS, 'utf8'))
  return cases.flatMap(({ title, root: name, exclude, entries, fingerprint }) => {
    makeEntries(name, entries.map(fromVector))
    const theirs = askClient(name, exclude)
    rmSync(name, { recursive: true, force: true })
    return (theirs.fingerprint ?? null) === fingerprint
      ? []
      : [`${title}: recorded ${fingerprint}, client ${JSON.stringify(theirs)}`]
  })
}

async function record() {
  const vectors = JSON.parse(readFileSync(VECTORS, 'utf8'))
  const found = []
  for (const each of vectors.cases) {
    makeEntries(each.root, each.entries.map(fromVector))
    const [theirs, ours] = [askClient(each.root, each.exclude), await askPackage(each.root, each.exclude)]
    rmSync(each.root, { recursive: true, force: true })
    each.fingerprint = theirs.fingerprint ?? null
    if (theirs.fingerprint !== ours.fingerprint)
      found.push(JSON.stringify({ title: each.title, theirs, ours }))
  }
  writeFileSync(VECTORS, `${JSON.stringify(vectors, null, 2)}\n`)
  return found
}

function makeEntries(name, entries) {
  mkdirSync(name)
  for (const { path, kind, content, target, mode } of entries) {
    const full = Buffer.concat([Buffer.from(`${name}/`), path])
    if (kind === 'folder') mkdirSync(full)
    else if (kind === 'link') symlinkSync(target, full)
    else {
      writeFileSync(full, content)
      chmodSync(full, mode)
    }
  }
}

function fromVector({ path, path_hex, kind, text = '', content_hex, target, is_executable }) {
  return {
    path: path_hex === undefined ? Buffer.from(path) : Buffer.from(path_hex, 'hex'),
    kind,
    content: content_hex === undefined ? text : Buffer.from(content_hex, 'hex'),
    target,
    mode: is_executable ? 0o755 : 0o644,
  }
}

/** With a separate environment, because the client derives defaults from CI variables. */
function askClient(path, exclude) {
  const flags = exclude.flatMap(pattern => ['--exclude', pattern])
  const { status, stdout, stderr } = spawnSync(
    binary,
    ['fingerprint', '--artifact-type', 'dir', ...flags, '--', path],
    { env: { PATH: process.env.PATH, HOME: folder }, encoding: 'utf8' },
  )
  return status === 0 ? { fingerprint: stdout.trim() } : { problem: stderr.trim() }
}

async function askPackage(path, exclude) {
  try {
    const { fingerprint } = await fingerprintDirectory(path, { exclude, follow_root: false })
    return { fingerprint }
  } catch (error) {
    return { problem: error.message }
  }
}

async function loadPackage() {
  const bundle = makeBundler()
  return import(pathToFileURL(await bundle('packages/fingerprints/src/index.ts')).href)
}

function describe({ path, kind, content, target }) {
  return [path.toString('latin1'), kind, kind === 'link' ? target.toString('latin1') : content]
}
