// Random alterations of real audit packages: whatever somebody changes, adds, drops, exchanges or signs anew, the
// verifier shows nothing that a reader would take from the package and that the log does not name.
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Unreadable } from '../src/verifier/log-files.ts'
import { type PackageParts, verifyPackageStream } from '../src/verifier/package.ts'
import { isOfSeal, type PackedFile, packFiles, recompute, unpackFiles } from './altered-package.ts'
import { PACKAGE, readLogKey, reportEvidence, trustLog } from './evidenced-org.ts'
import { startTestApp, type TestApp } from './harness.ts'
import { isRecord, listProvedFacts, listValues, replaceValue } from './proved-facts.ts'
import { chooseRepetitions } from './repetitions.ts'

const RUNS = chooseRepetitions(100, 10_000)
/** Each with all leaves of the organization. */
const EXCHANGES = chooseRepetitions(100, 2_000)

let app: TestApp
let parts: PackageParts
/** Real packages of every scope; the last ones are older, and of another organization. */
let packages: Buffer[]
let unpacked: PackedFile[][]
/** What readers of the real packages read. */
let genuine: Set<string>

const URLS = [...Object.values(PACKAGE), '/attestations/acme/attestation/{id}/audit_package']

const OTHER_TRAIL = '/trails/acme/ci/other/audit_package'

beforeAll(async () => {
  app = await startTestApp()
  await reportEvidence(app)
  const older = await downloadAll()
  const vkey = await readLogKey(app)
  await app.admin.put('/flows/ada', { name: 'other', description: '' })
  const { bytes } = await app.admin.get('/organizations/ada/audit_package')
  packages = [...(await downloadAll()), ...older, bytes ?? Buffer.alloc(0)]
  unpacked = await Promise.all(packages.map(unpackFiles))
  parts = trustLog(vkey)
  genuine = new Set((await Promise.all(packages.map(readAsPeopleDo))).flatMap(text => text ?? []))
})
afterAll(() => app.stop())

async function downloadAll(): Promise<Buffer[]> {
  const [found] = (await app.reader.get('/attestations/acme/ci/trail/run/tests')).body
  const all: Buffer[] = []
  for (const url of URLS) {
    const { status, bytes } = await app.admin.get(url.replace('{id}', found.attestation_id))
    expect(status).toBe(200)
    all.push(bytes ?? Buffer.alloc(0))
  }
  return all
}

/** Unpacks like a lenient program: the last file of a name is the one that stays. Undefined if nothing can be read. */
async function readAsPeopleDo(tgz: Buffer): Promise<string | undefined> {
  const files = new Map<string, string>()
  const archive = extract({ allowUnknownFormat: true } as object)
  const unzipped = createGunzip().on('error', error => archive.destroy(error))
  Readable.from([tgz]).pipe(unzipped).pipe(archive)
  try {
    for await (const entry of archive) {
      const { name, type, linkname } = entry.header
      files.set(
        posix.normalize(name),
        `${type} ${linkname ?? ''} ${(await buffer(entry)).toString('base64')}`,
      )
    }
  } catch {
    // A damaged archive: some programs keep what they have unpacked.
    return undefined
  }
  return JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}

interface Choice {
  kind: keyof typeof ALTERATIONS
  /** Choose the file, the place and the change. */
  a: number
  b: number
  c: number
  recomputes: boolean
}

type Alter = (files: readonly PackedFile[], choice: Choice) => readonly PackedFile[]

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T
const at = (files: readonly PackedFile[], n: number) => n % files.length

const changeContent =
  (change: (content: Buffer, choice: Choice) => Buffer): Alter =>
  (files, choice) =>
    files.length === 0
      ? files
      : files.with(at(files, choice.a), {
          ...pick(files, choice.a),
          content: change(pick(files, choice.a).content, choice),
        })

const WORDS = [
  /true/g,
  /false/g,
  /"ada"/g,
  /prod/g,
  /SDLC-1/g,
  /\d/g,
  /[a-z]/g,
  /[A-Za-z0-9+/]=/g,
  / /g,
] as const
const NAMES = [
  'x.json',
  '../../evil.txt',
  '/etc/passwd',
  'log/46.json',
  'seal/extra',
  'Summary.html',
  'log',
  'a\u001b[2Jb',
]
const HEADERS = [
  { type: 'symlink', linkname: '/etc/passwd' },
  { type: 'link', linkname: 'summary.html' },
  { type: 'fifo' },
] as const

const ALTERATIONS = {
  flip: changeContent((content, { b, c }) => {
    const copy = Buffer.from(content)
    if (copy.length > 0) copy[b % copy.length] = (copy[b % copy.length] ?? 0) ^ (1 << (c % 8))
    return copy
  }),
  rewrite: changeContent((content, { b, c }) => {
    const text = content.toString('utf8')
    const found = [...text.matchAll(pick(WORDS, b))]
    const match = found.length > 0 ? pick(found, c) : undefined
    return Buffer.from(
      match ? `${text.slice(0, match.index)}Z${text.slice(match.index + match[0].length)}` : `${text} `,
    )
  }),
  cut: changeContent((content, { b }) => content.subarray(0, b % (content.length + 1))),
  append: changeContent((content, { b, c }) => Buffer.concat([content, Buffer.alloc(1 + (b % 40), c % 256)])),
  drop: (files, { a }) => files.toSpliced(at(files, a), 1),
  duplicate: (files, { a, b, c }) => {
    const { name } = pick(files, a)
    const same = [name, `./${name}`, name.toUpperCase(), name.replace('/', '//'), `x/../${name}`]
    return files.toSpliced(b % (files.length + 1), 0, {
      name: pick(same, c),
      content: pick(files, b).content,
    })
  },
  swap: (files, { a, b }) => {
    const [one, other] = [pick(files, a), pick(files, b)]
    return files.map(file => {
      if (file === one) return { ...file, content: other.content }
      return file === other ? { ...file, content: one.content } : file
    })
  },
  rename: (files, { a, b }) => files.with(at(files, a), { ...pick(files, a), name: pick(NAMES, b) }),
  insert: (files, { a, b, c }) => [
    ...files,
    { name: pick(NAMES, a), content: Buffer.alloc(b % 100, c % 256) },
  ],
  link: (files, { a, b }) =>
    files.with(at(files, a), { ...pick(files, a), content: Buffer.alloc(0), header: pick(HEADERS, b) }),
  reorder: (files, { a, b }) => files.toSpliced(at(files, a), 1).toSpliced(at(files, b), 0, pick(files, a)),
  replay_seal: (files, { a }) => [
    ...files.filter(file => !isOfSeal(file)),
    ...pick(unpacked, a).filter(isOfSeal),
  ],
  replay_file: (files, { a, b }) => {
    const { name } = pick(files, a)
    const other = pick(unpacked, b).find(file => file.name === name)
    return other ? files.with(at(files, a), other) : files
  },
  replay_all_but_seal: (files, { a }) => [
    ...pick(unpacked, a).filter(file => !isOfSeal(file)),
    ...files.filter(isOfSeal),
  ],
  drop_seal: files => files.filter(file => !isOfSeal(file)),
  drop_body: (files, { a }) => {
    const leaves = files.filter(({ name }) => /^log\/\d+\.json$/.test(name))
    if (leaves.length === 0) return files
    const chosen = pick(leaves, a)
    const text = chosen.content.toString('utf8').replace(/,\n {2}"body"[\s\S]*(?=\n\})/, '')
    return files.map(file => (file === chosen ? { ...file, content: Buffer.from(text) } : file))
  },
  name_in_seal: files => {
    const made = recompute(files)
    const manifest = made.find(({ name }) => name === 'manifest.sha256')
    return manifest ? nameInSeal(made, manifest.content) : files
  },
  sign: (files, { a }) => {
    const line = `— ${a % 2 === 0 ? 'evil.example' : 'waybill.test'} ${Buffer.alloc(68, a % 256).toString('base64')}\n`
    return files.map(file =>
      /^seal\/(checkpoint|leaf\.tlog-proof)$/.test(file.name)
        ? { ...file, content: Buffer.concat([file.content, Buffer.from(line)]) }
        : file,
    )
  },
} satisfies Record<string, Alter>

/** The operator's words in the leaf of the seal, without the operator. */
function nameInSeal(files: readonly PackedFile[], manifest: Buffer): readonly PackedFile[] {
  const sha256 = createHash('sha256').update(manifest).digest('hex')
  return files.map(file =>
    file.name === 'seal/leaf.json'
      ? {
          ...file,
          content: Buffer.from(
            file.content.toString('utf8').replace(/(sha256\W+)[0-9a-f]{64}/, `$1${sha256}`),
          ),
        }
      : file,
  )
}

const CHOICE: fc.Arbitrary<Choice> = fc.record({
  kind: fc.constantFrom(...(Object.keys(ALTERATIONS) as Choice['kind'][])),
  a: fc.nat(),
  b: fc.nat(),
  c: fc.nat(),
  recomputes: fc.boolean(),
})

function alter(files: readonly PackedFile[], choices: readonly Choice[]): readonly PackedFile[] {
  return choices.reduce((before, choice) => {
    if (before.length === 0) return before
    const after = ALTERATIONS[choice.kind](before, choice)
    return choice.recomputes ? recompute(after) : after
  }, files)
}

async function expectNothingFalseShown(tgz: Buffer): Promise<string> {
  const verdict = await verifyPackageStream(Readable.from([tgz]), parts).then(
    verification => verification.verdict,
    error => {
      expect(error).toBeInstanceOf(Unreadable)
      return 'unknown' as const
    },
  )
  if (verdict !== 'shown') return verdict
  const read = await readAsPeopleDo(tgz)
  expect(read !== undefined && genuine.has(read)).toBe(true)
  return verdict
}

describe('the packages', () => {
  it('are shown as they are, packed again and in another order, except that of another log', async () => {
    for (const [i, files] of unpacked.entries()) {
      const expected = i === unpacked.length - 1 ? 'false' : 'shown'
      expect(await expectNothingFalseShown(packages[i] ?? Buffer.alloc(0))).toBe(expected)
      expect(await expectNothingFalseShown(await packFiles(files.toReversed(), new Date(0)))).toBe(expected)
    }
  })
})

describe('nothing false is shown', () => {
  it(`after ${RUNS} alterations of files`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.array(CHOICE, { minLength: 1, maxLength: 3 }), async (n, choices) => {
        const tgz = await packFiles(alter(pick(unpacked, n), choices))
        await expectNothingFalseShown(tgz)
      }),
      { numRuns: RUNS },
    )
  })

  it(`after ${RUNS} alterations of the archive`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ n: fc.nat(), at: fc.nat(), bit: fc.nat(7), zipped: fc.boolean(), more: fc.nat(3) }),
        async ({ n, at: place, bit, zipped, more }) => {
          const tgz = pick(packages, n)
          const bytes = Buffer.from(zipped ? tgz : gunzipSync(tgz))
          // Headers are more interesting than contents.
          const target =
            zipped || more > 0 ? place % bytes.length : 512 * (place % (bytes.length / 512)) + (place % 512)
          bytes[target] = (bytes[target] ?? 0) ^ (1 << bit)
          const cut = more === 3 ? bytes.subarray(0, target) : bytes
          const altered = zipped ? cut : gzipSync(cut, { level: 1 })
          await expectNothingFalseShown(more === 2 ? Buffer.concat([altered, tgz]) : altered)
        },
      ),
      { numRuns: RUNS },
    )
  })
})

describe('nothing false is called proved', () => {
  it(`in ${EXCHANGES} packages whose records somebody has exchanged or altered, beside all leaves`, async () => {
    const other = await unpackFiles((await app.admin.get(OTHER_TRAIL)).bytes ?? Buffer.alloc(0))
    const sources = [...unpacked.slice(0, URLS.length), other]
    const leaves = sources[Object.keys(PACKAGE).indexOf('organization')]?.filter(({ name }) =>
      /^(log|parts)\//.test(name),
    )
    const records = sources.map(files => files.filter(isRecord)).filter(files => files.length > 0)
    const values = records.flat().flatMap(({ content }) => listValues(JSON.parse(content.toString('utf8'))))
    const verify = async (files: readonly PackedFile[]) =>
      verifyPackageStream(Readable.from([await packFiles(recompute(files))]), parts)
    const facts = new Set<string>()
    // Beside no trail and no artifact, all evidence is in its place.
    for (const files of sources)
      for (const fact of listProvedFacts(files, await verify(files)))
        facts.add(fact).add(fact.replace(/ for [^:]*:/, ' for :'))
    await fc.assert(
      fc.asyncProperty(
        fc.nat(),
        fc.array(fc.record({ from: fc.nat(), file: fc.nat() }), { maxLength: 4 }),
        fc.array(fc.record({ file: fc.nat(), nth: fc.nat(), value: fc.nat() }), { maxLength: 2 }),
        async (n, foreign, changes) => {
          const own = pick(records, n)
          const added = foreign.map(({ from, file }) => pick(pick(records, from), file))
          const drawn = new Map([...own, ...added].map(file => [file.name, file]))
          for (const { file, nth, value } of changes) {
            const altered = replaceValue(pick([...drawn.values()], file), nth, pick(values, value))
            drawn.set(altered.name, altered)
          }
          const manifest = { name: 'manifest.sha256', content: Buffer.alloc(0) }
          const files = [...(leaves ?? []), ...drawn.values(), manifest]
          const verification = await verify(files)
          if (verification.verdict === 'false') return
          expect(listProvedFacts(files, verification).filter(fact => !facts.has(fact))).toEqual([])
        },
      ),
      { numRuns: EXCHANGES },
    )
  })
})
