// The container: as user 10001 with a read-only root, no capabilities and only /data and /tmp writable. With the
// embedded PostgreSQL and with an external one.
import { readdirSync, statSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import type { ImageSettings } from '../../../scripts/release/image.mjs'
import { startContainer, unpackImage } from '../../../scripts/release/run-image.mjs'
import { until } from '../patience.ts'
import { expectReadmeOutput, runReadme } from '../readme.ts'
import { addCleanUp, createDatabase, findFreePort, makeScratchFolder } from '../service.ts'
import { waitUntilReady } from './installed-program.ts'
import { findAsset, version } from './made-release.ts'

const USER_ID = 10001
const SECRET = 'x'.repeat(32)

let folder: string
let settings: ImageSettings

beforeAll(() => {
  folder = makeScratchFolder()
  settings = unpackImage(findAsset(/-image\.tar$/), process.arch, folder)
})

/** The name contains the folder, because container names belong to the whole machine. */
async function start(name: string, env: string[], args?: string[]) {
  const port = await findFreePort()
  const container = startContainer(folder, `${name}-${folder.slice(-6)}`, {
    settings,
    env: [`PORT=${port}`, 'WAYBILL_RATE_LIMIT=off', ...env],
    ...(args ? { args } : {}),
  })
  return { ...container, ...(await waitUntilReady(container.process, port)) }
}

/** The tests' PostgreSQL has a socket that only its own user can reach. Returns a port that forwards to it. */
function forwardDatabase(): Promise<number> {
  const { host, port } = inject('cluster')
  const server = net.createServer(from => {
    const to = net.connect(join(host, `.s.PGSQL.${port}`))
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other)
  })
  addCleanUp(() => server.close())
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

const ask = async (port: number, path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status

describe('with the embedded PostgreSQL', () => {
  it('is ready, takes a reader through the README, and keeps its data over a restart', async () => {
    const service = await start('embedded', [])
    expect(await ask(service.port, '/ready')).toBe(200)
    expectReadmeOutput(await runReadme(service.port, service.key))
    expect(service.exec(['waybill', 'version', '--short']).stdout).toBe(`${version}\n`)
    expect(service.exec(settings.Healthcheck.Test.slice(1)).status).toBe(0)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
    expect(readdirSync(service.data)).toEqual(['waybill'])
    expect(statSync(join(service.data, 'waybill', 'postgres')).uid).toBe(USER_ID)

    const again = await start('embedded', [])
    const response = await fetch(`http://127.0.0.1:${again.port}/api/v2/flows/demo-org/backend-ci`, {
      headers: { authorization: `Bearer ${service.key}` },
    })
    expect(response.status).toBe(200)
    expect(await again.stop()).toEqual({ code: 0, signal: null })
  })

  it('can write nowhere else, and its health check fails when nothing responds', async () => {
    const service = await start('readonly', [])
    const write = (path: string) =>
      service.exec(['/opt/waybill/runtime/node', '-e', `require('fs').writeFileSync('${path}', 'x')`])
    for (const path of ['/opt/waybill/x', '/etc/x', '/x']) expect(write(path).stderr).toContain('EROFS')
    expect(write('/tmp/x').status).toBe(0)
    const elsewhere = service.exec([
      '/bin/sh',
      '-c',
      `PORT=1 exec ${settings.Healthcheck.Test.slice(1).join(' ')}`,
    ])
    expect(elsewhere.status).toBe(1)
    expect(await service.stop()).toEqual({ code: 0, signal: null })
  })
})

describe('with an external PostgreSQL', () => {
  it('serves in one container and works in another', async () => {
    const { owner } = await createDatabase()
    const url = `postgres://${owner.user}:${owner.password}@127.0.0.1:${await forwardDatabase()}/${owner.database}`
    const env = [`DATABASE_URL=${url}`, `WAYBILL_SECRET_KEY=${SECRET}`]
    const serving = await start('serving', [...env, 'WAYBILL_ROLE=serve'], ['serve'])
    const working = await start('working', env, ['work'])
    expect(await ask(serving.port, '/ready')).toBe(200)
    expect(working.exec(settings.Healthcheck.Test.slice(1)).status).toBe(0)
    const call = (path: string, body: unknown) =>
      fetch(`http://127.0.0.1:${serving.port}/api/v2${path}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${serving.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    expect((await call('/flows/demo-org', { name: 'first', description: '' })).status).toBe(201)
    await until(() => working.stdout().includes('working the outbox'))
    for (const each of [working, serving]) expect(await each.stop()).toEqual({ code: 0, signal: null })
    expect(readdirSync(join(serving.data, 'waybill')).filter(name => name === 'postgres')).toEqual([])
  })
})
