// A folder that another client attested is recognized where it runs.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'member' }, async ({ app, cli }) => {
  mkdirSync(join(cli.folder, 'site', 'log'), { recursive: true })
  writeFileSync(join(cli.folder, 'site', 'index.html'), '<p>hello</p>\n')
  writeFileSync(join(cli.folder, 'site', 'log', 'today.txt'), 'noise\n')
  writeFileSync(
    join(cli.folder, 'paths.yml'),
    'version: 1\nartifacts:\n  site:\n    path: site\n    exclude: [log]\n',
  )
  await app.member.put('/environments/acme', { name: 'web', type: 'server' })
})

it.each([
  ['snapshot path web --name site --path site --exclude log', 'dir-v2'],
  ['snapshot paths web --paths-file paths.yml', 'dir-v2'],
  ['snapshot path web --name site --path site --exclude log --artifact-type dir', 'dir'],
  ['snapshot paths web --paths-file paths.yml --artifact-type dir', 'dir'],
])('%s reports the fingerprint of %s', async (line, type) => {
  const { stdout: fingerprint } = await served.cli.run(
    `fingerprint site --artifact-type ${type} --exclude log`,
  )
  expect(fingerprint).toMatch(/^[0-9a-f]{64}\n$/)
  const ran = await served.cli.run(line)
  expect(ran, ran.stderr).toMatchObject({ code: 0 })
  const { stdout } = await served.cli.run('get snapshot web --quiet')
  expect(stdout).toBe(fingerprint)
})

it('makes the environment if asked, and spools the report while the service is down', async () => {
  const line =
    'snapshot path fresh --name site --path site --auto-environment --timeout 1 --max-api-retries 0'
  const away = await served.cli.run(line, { env: { WAYBILL_HOST: 'http://127.0.0.1:1' } })
  expect(away, away.stderr).toMatchObject({ code: 0 })
  expect(away.stderr).toContain('It is not known whether environment fresh exists')
  expect(away.stderr).toContain('It waits in the spool')
  expect(await served.cli.run(line)).toMatchObject({ code: 0 })
  expect((await served.app.reader.get('/environments/acme/fresh')).status).toBe(200)
})
