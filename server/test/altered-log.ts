// A log of a real service, downloaded once. Each test alters a copy: files in transit, or leaves and bodies, like an
// operator with the key who signs arbitrary data.
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatEntries,
  formatVerifierKey,
  type Policy,
  parseEntries,
  parsePolicy,
  type SignerKey,
} from '@waybill/transparency-log'
import { beforeAll, expect } from 'vitest'
import { computeTag } from '../src/domain/log/commit.ts'
import { recordEvents } from '../src/events/record.ts'
import { makeIds } from '../src/lib/ids.ts'
import type { StoredBody } from '../src/verifier/bodies.ts'
import type { Code } from '../src/verifier/findings.ts'
import type { VerifyParts } from '../src/verifier/verify.ts'
import { buildPodReport } from './environments.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import {
  fetchInto,
  type LogCopy,
  openLogKeys,
  put,
  readCopy,
  type Signers,
  verifyFolder,
  writeCopy,
} from './log-copy.ts'
import { makeBuild, makeFingerprint, nameTrail } from './reports.ts'
import { makeScratchFolder } from './service.ts'

const FLOW = 'ci'
/** More than one bundle. */
const MANY = 300
export const ARTIFACT = makeFingerprint('a')
export const OTHER_ARTIFACT = makeFingerprint('b')

export interface GoodLog {
  app: TestApp
  folder: string
  copy: LogCopy
  checkpoint: string
  keys: SignerKey[]
  /** Trusts the keys, and needs no witness. */
  policy: Policy
  tag_key: Buffer
  environment: string
  /** The leaves of the artifact's attestations, and of the environment's snapshots. */
  attested: number[]
  taken: number[]
}

/** Filled before the tests run. */
export function useGoodLog(): GoodLog {
  const log = {} as GoodLog
  beforeAll(async () => {
    log.app = await startTestApp()
    await fillLog(log.app)
    log.environment = (await log.app.reader.get(`/environments/${ORG}/prod`)).body.id
    log.folder = makeScratchFolder()
    await fetchInto(log.app, log.folder)
    log.copy = readCopy(log.folder)
    log.checkpoint = readFileSync(join(log.folder, 'checkpoint'), 'utf8')
    log.keys = await openLogKeys(log.app)
    log.policy = trust(log.keys)
    log.tag_key = Buffer.from(readFileSync(join(log.folder, 'tagkey'), 'utf8').trim(), 'hex')
    const tag = computeTag(log.tag_key, { type: 'artifact', id: ARTIFACT })
    const list = (kind: string) => log.copy.leaves.filter(leaf => leaf.kind === kind)
    const attested = list('artifact_attestation_reported').filter(({ about }) => about.includes(tag))
    log.attested = attested.map(({ index }) => index)
    log.taken = list('snapshot_taken').map(({ index }) => index)
    return () => log.app.stop()
  })
  return log
}

async function fillLog(app: TestApp): Promise<void> {
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  await app.admin.put(`/environments/${ORG}`, { name: 'prod', type: 'K8S' })
  const attest = (trail: string, more: Record<string, unknown>) =>
    app.member.post(`/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
      attestation_name: 'scan',
      is_compliant: true,
      ...more,
    })
  for (const letter of ['a', 'b'])
    await app.member.post(
      `/artifacts/${ORG}/${FLOW}`,
      makeBuild(makeFingerprint(letter), nameTrail(`t-${letter}`)),
    )
  for (const letter of ['a', 'b', 'a'])
    await attest(`t-${letter}`, { artifact_fingerprint: makeFingerprint(letter) })
  await attest('t-a', { attestation_name: 'review' })
  for (const letters of ['a', 'ab', 'b'])
    await app.snapshotter.put(`/environments/${ORG}/prod/report/K8S`, buildPodReport(...letters))
  await addEvents(app, MANY)
}

export async function addEvents(app: TestApp, number: number): Promise<void> {
  const [org] = await app.sql('select org_id from orgs where name = $1', [ORG])
  const org_id = String(org?.org_id)
  const context = { org: { org_id }, caller: { name: 'ada' }, now: app.clock.now(), request_id: 'r' }
  const events = Array.from({ length: number }, (_, n) => ({ kind: 'org_exported' as const, data: { n } }))
  await app.db.withTransaction({ org_id }, tx => recordEvents(tx, context, makeIds(app.clock), events))
}

export const trust = (trusted: readonly SignerKey[], more = 'quorum none') =>
  parsePolicy(`${trusted.map(key => `log ${formatVerifierKey(key)}`).join('\n')}\n${more}\n`)

/** A copy that a test may alter. */
export interface AlteredLog {
  folder: string
  copy: LogCopy
  size: number
  /** Rewrites leaves and bodies, signed with the log's keys. */
  resign(signers?: Partial<Signers>): Promise<void>
  edit(path: string, change: (content: Buffer) => Buffer): void
}

/** Returns options for the verification, if they matter. */
type Alter = (altered: AlteredLog) => unknown
export type AlteredCase = [what: string, code: Code, sentence: RegExp, alter: Alter]

export function alterLog(log: GoodLog): AlteredLog {
  const folder = join(makeScratchFolder(), 'log')
  cpSync(log.folder, folder, { recursive: true })
  const copy = { leaves: [...log.copy.leaves], bodies: new Map(log.copy.bodies) }
  return {
    folder,
    copy,
    size: copy.leaves.length,
    resign: signers => writeCopy(folder, copy, { keys: log.keys, ...signers }),
    edit: (path, change) => put(folder, path, change(readFileSync(join(folder, path)))),
  }
}

/** Expects that the altered log is refused, with this code and message. */
export async function expectRefused(log: GoodLog, [, code, sentence, alter]: AlteredCase): Promise<void> {
  const altered = alterLog(log)
  const parts = (await alter(altered)) as Partial<VerifyParts> | undefined
  const { verdict, findings } = await verifyFolder(altered.folder, { policy: log.policy, ...parts })
  const found = findings.filter(({ level }) => level !== 'note')
  expect(found).toContainEqual({ code, level: expect.any(String), text: expect.stringMatching(sentence) })
  expect(verdict).not.toBe('shown')
}

/** Replaces an entry of the first bundle. */
export const replaceEntry = ({ edit }: AlteredLog, index: number, change: (entry: Buffer) => Buffer) =>
  edit('tile/entries/000', bundle =>
    formatEntries(parseEntries(bundle).map((entry, i) => (i === index ? change(entry) : entry))),
  )

export const replaceText = (from: string | RegExp, to: string) => (content: Buffer) => {
  // Treats every byte as a character.
  const text = content.toString('latin1')
  expect(text).toMatch(from)
  return Buffer.from(text.replace(from, to), 'latin1')
}

export function dropLeaf({ copy }: AlteredLog, dropped: number): void {
  const leaves = copy.leaves.toSpliced(dropped, 1)
  copy.leaves = leaves.map((leaf, index) => ({ ...leaf, index }))
  const bodies = [...copy.bodies.values()].filter(({ index }) => index !== dropped)
  copy.bodies = new Map(
    bodies.map(stored => {
      const index = stored.index > dropped ? stored.index - 1 : stored.index
      return [index, { ...stored, index }]
    }),
  )
}

/** Changes the body of a leaf of the first bundle, or removes it. */
export function changeLine(
  { copy, edit }: AlteredLog,
  index: number,
  change: (line: StoredBody) => StoredBody | undefined,
): void {
  const stored = copy.bodies.get(index) ?? expect.fail()
  const changed = change(stored)
  edit('bodies/000', content => {
    const line = `${JSON.stringify(stored)}\n`
    expect(content.toString('utf8')).toContain(line)
    return Buffer.from(
      content.toString('utf8').replace(line, () => (changed ? `${JSON.stringify(changed)}\n` : '')),
    )
  })
}
