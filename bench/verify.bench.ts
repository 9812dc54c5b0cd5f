// Verifying a large log: time and memory, with and without bodies. `VERIFY_LEAVES` sets its size.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  appendLeaves,
  EMPTY_PEAKS,
  formatCheckpoint,
  formatEntries,
  formatNote,
  formatTilePath,
  formatVerifierKey,
  generateKey,
  getRoot,
  hashLeaf,
  type Peaks,
  signNote,
  TILE_WIDTH,
} from '@waybill/transparency-log'
import { computeTag, hashBody } from '../server/src/domain/log/commit.ts'
import { formatLeaf } from '../server/src/domain/log/leaf.ts'
import { formatBodiesPath } from '../server/src/verifier/log-files.ts'
import { makeScratch, ROOT } from './bench-service.ts'
import { print, printTitle } from './report.ts'

const LEAVES = Number(process.env.VERIFY_LEAVES ?? 1_000_000)
const ORIGIN = 'waybill.example/log/01980000-0000-7000-8000-00000000000a/1'
const TAG_KEY = Buffer.alloc(32, 7)
const FINGERPRINTS = 1_000
const POLL_MS = 100
const KB_PER_MB = 1_024

const folder = await makeScratch()
try {
  const key = generateKey(ORIGIN, 'note')
  const root = await writeLog()
  const text = formatCheckpoint({ origin: ORIGIN, size: LEAVES, root })
  await put('checkpoint', formatNote(await signNote(text, [key])))
  printTitle(`Verify a log of ${LEAVES} leaves, and list the attestations of an artifact`)
  await measure('with all bodies', formatVerifierKey(key))
  await rm(join(folder, 'bodies'), { recursive: true })
  await put(formatBodiesPath(0, TILE_WIDTH), toLine(0))
  await measure('without bodies', formatVerifierKey(key), '--without-bodies')
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function measure(name: string, vkey: string, ...more: string[]): Promise<void> {
  const args = ['verify', folder, '--vkey', vkey, '--artifact', nameArtifact(1), ...more]
  const begun_ms = performance.now()
  const child = spawn(process.execPath, [join(ROOT, 'server/dist/main.js'), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'close')
  const peak_mb = await watchMemory(child)
  const [code] = await ended
  if (code !== 0) throw new Error(`The verification ended with ${code}`)
  print({ name, value: (performance.now() - begun_ms) / 1_000, unit: 's' })
  print({ name: `${name}: memory`, value: peak_mb, unit: 'MB', aim: { at_most: 200 } })
}

/** The peak memory of the process. */
async function watchMemory(child: ChildProcess): Promise<number> {
  let peak_kb = 0
  while (child.exitCode === null) {
    const status = readStatus(child.pid)
    peak_kb = Math.max(peak_kb, Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0))
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
  return peak_kb / KB_PER_MB
}

function readStatus(pid: number | undefined): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}

/** Returns the root. */
async function writeLog(): Promise<Buffer> {
  let peaks: Peaks = EMPTY_PEAKS
  for (let first = 0; first < LEAVES; first += TILE_WIDTH) {
    const width = Math.min(TILE_WIDTH, LEAVES - first)
    const number = first / TILE_WIDTH
    const indices = Array.from({ length: width }, (_, i) => first + i)
    const entries = indices.map(index => Buffer.from(buildLeaf(index)))
    peaks = appendLeaves(peaks, entries.map(hashLeaf))
    await put(formatTilePath({ level: 'entries', number, width }), formatEntries(entries))
    await put(formatBodiesPath(number, width), indices.map(toLine).join(''))
  }
  return getRoot(peaks)
}

function nameArtifact(n: number): string {
  return String(n).padStart(64, '0')
}

function nameKind(index: number): string {
  return index === 0 ? 'log_opened' : 'artifact_attestation_reported'
}

function findSalt(index: number): Buffer {
  return Buffer.alloc(32, index % 251)
}

function toLine(index: number): string {
  const salt = findSalt(index).toString('base64')
  return `${JSON.stringify({ index, salt, body: buildBody(index) })}\n`
}

function buildBody(index: number): string {
  const happened_at = '2026-03-03T12:00:00.000Z'
  const ids = index === 0 ? {} : { flow: 'f', trail: `t-${index % FINGERPRINTS}` }
  const data =
    index === 0
      ? { origin: ORIGIN, tag_key: TAG_KEY.toString('hex') }
      : {
          artifact_fingerprint: nameArtifact(index % FINGERPRINTS),
          is_compliant: true,
          attestation_type: 'generic',
        }
  return JSON.stringify({ kind: nameKind(index), happened_at, actor: 'ci', request_id: 'r', ids, data })
}

function buildLeaf(index: number): string {
  const subjects = [
    { type: 'trail' as const, id: `t-${index % FINGERPRINTS}` },
    { type: 'flow' as const, id: 'f' },
    { type: 'artifact' as const, id: nameArtifact(index % FINGERPRINTS) },
  ]
  return formatLeaf({
    index,
    at_ms: 1_763_222_400_000 + index,
    kind: nameKind(index),
    event: '019a8c0f-3b7a-7c1e-9a34-d2f10b6c',
    body_hash: hashBody(findSalt(index), buildBody(index)),
    about: index === 0 ? [] : subjects.map(subject => computeTag(TAG_KEY, subject)).sort(),
  })
}

async function put(path: string, content: string | Buffer): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, content)
}
