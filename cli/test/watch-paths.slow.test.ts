// Long-running reporters for files and folders on a server.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../../packages/testing/src/patience.ts'
import { stampPaths } from '../src/reporters/path-stamp.ts'
import type { Ran } from './run-cli.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'member' })
let number = 0
let environment: string
let site: string

beforeEach(async () => {
  number += 1
  environment = `server-${number}`
  site = join(served.cli.folder, 'site')
  mkdirSync(site, { recursive: true })
  writeFileSync(join(site, 'index.html'), `<p>${number}</p>\n`)
  writeFileSync(join(served.cli.folder, 'paths.yml'), 'version: 1\nartifacts: { site: { path: site } }\n')
  await served.app.member.put('/environments/acme', {
    name: environment,
    type: 'server',
    description: '',
    expected_report_interval: 60,
  })
})
afterEach(() => rmSync(site, { recursive: true, force: true }))

async function fingerprint(): Promise<string> {
  return (await served.cli.run('fingerprint site')).stdout.trim()
}

async function getRunning(): Promise<string | undefined> {
  const { body } = await served.app.member.get(`/snapshots/acme/${environment}/-1`)
  const artifacts: { fingerprint: string; annotation: { now: number } }[] = body.artifacts ?? []
  return artifacts.find(({ annotation }) => annotation.now > 0)?.fingerprint
}

const readReported = async () =>
  (await served.app.member.get(`/environments/acme/${environment}`)).body.last_reported_at

describe.each([
  'path ENV --name site --path site',
  'paths ENV --paths-file paths.yml',
  'server ENV --paths site',
])('watch %s', words => {
  let stop: AbortController
  let watching: Promise<Ran>
  beforeEach(() => {
    stop = new AbortController()
    const line = `watch ${words.replace('ENV', environment)} --every 1`
    watching = served.cli.run(line, { signal: stop.signal })
  })
  afterEach(async () => {
    stop.abort()
    expect(await watching).toMatchObject({ code: 0 })
  })

  it('reports immediately, after a change, and well within the interval that the environment expects', async () => {
    const first = await fingerprint()
    await until(async () => (await getRunning()) === first)
    writeFileSync(join(site, 'index.html'), 'changed\n')
    const second = await fingerprint()
    expect(second).not.toBe(first)
    served.app.clock.advance(1_000)
    await until(async () => (await getRunning()) === second)
    const reported = await readReported()
    served.app.clock.advance(21_000)
    await until(async () => (await readReported()) > reported)
  })

  it('continues when a folder that was gone comes back', async () => {
    const first = await fingerprint()
    await until(async () => (await getRunning()) === first)
    rmSync(site, { recursive: true })
    served.app.clock.advance(21_000)
    mkdirSync(site)
    writeFileSync(join(site, 'back.html'), 'back\n')
    const second = await fingerprint()
    await until(async () => (await getRunning()) === second)
  })
})

it('a folder that is missing at the start is a mistake', async () => {
  rmSync(site, { recursive: true })
  const { code, stderr } = await served.cli.run(`watch path ${environment} --name site --path site`)
  expect(code).toBe(2)
  expect(stderr).toContain('site')
})

describe('the stamp of a folder', () => {
  it('is the same until something is written, removed or replaced', async () => {
    const stamps = [await stampPaths([site])]
    expect(await stampPaths([site])).toBe(stamps[0])
    writeFileSync(join(site, 'index.html'), 'other content\n')
    stamps.push(await stampPaths([site]))
    writeFileSync(join(site, 'new.html'), '')
    stamps.push(await stampPaths([site]))
    rmSync(join(site, 'index.html'))
    stamps.push(await stampPaths([site]))
    rmSync(site, { recursive: true })
    stamps.push(await stampPaths([site]))
    expect(new Set(stamps).size).toBe(5)
  })
})
