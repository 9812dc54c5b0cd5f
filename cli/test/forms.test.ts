// Output formats, against a real service.
import { describe, expect, it } from 'vitest'
import { parse } from '../src/values/yaml.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'admin' }, async ({ app }) => {
  for (const [name, description] of [
    ['build', '=HYPERLINK("https://evil.example")'],
    ['deploy', 'one, two'],
  ])
    await app.member.put('/flows/acme', { name, description })
  await app.member.put('/environments/acme', { name: 'prod', type: 'K8S', description: '-1' })
})

async function print(line: string): Promise<string> {
  const { code, stdout, stderr } = await served.cli.run(line)
  expect([code, stderr], line).toEqual([0, ''])
  return stdout
}
const readJson = async (line: string) => JSON.parse(await print(`${line} --output json`))

describe('--output', () => {
  it.each(['list flows', 'get flow build', 'list environments'])(
    'json is the answer of the API: %s',
    async line => {
      const { body } = await served.app.admin.get(
        line === 'get flow build' ? '/flows/acme/build' : `/${line.split(' ')[1]}/acme`,
      )
      expect(await readJson(line)).toEqual(body)
    },
  )

  it.each(['list flows', 'get flow build', 'version'])('yaml is the same: %s', async line => {
    expect(parse(await print(`${line} -o yaml`))).toEqual(await readJson(line))
  })

  it('csv has a line for each item, without formulas', async () => {
    const [head = '', ...lines] = (await print('list flows -o csv')).trimEnd().split('\n')
    const columns = head.split(',')
    expect(columns).toEqual(Object.keys((await readJson('list flows'))[0]))
    expect(lines).toHaveLength(2)
    expect(lines[0]).toContain(`"'=HYPERLINK(""https://evil.example"")"`)
    expect(lines[1]).toContain('"one, two"')
  })

  it('csv has the items of a paged list', async () => {
    const lines = (await print('list trails -o csv')).split('\n')
    expect(lines).toEqual(['', ''])
  })

  it('csv of a single thing is one line', async () => {
    const [head, line, ...rest] = (await print('get environment prod -o csv')).split('\n')
    expect(head).toMatch(/^org,name,|^\w+(,\w+)+$/)
    expect(line).toContain(",'-1,")
    expect(rest).toEqual([''])
  })

  it('only some commands offer markdown', async () => {
    expect(await served.cli.run('list flows -o markdown')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this command has no markdown'),
    })
  })

  it('is one of its forms', async () => {
    expect(await served.cli.run('list flows -o xml')).toMatchObject({ code: 2, stdout: '' })
  })
})
