// The commands that the web app suggests for missing evidence record nothing if pasted unchanged.
import { describe, expect, it } from 'vitest'
import { ATTESTATION_TYPES } from '../../server/src/domain/attestation/types.ts'
import { serveCli } from './served-cli.ts'

const served = serveCli({ role: 'member' }, async ({ app }) => {
  await app.member.put('/flows/acme', { name: 'ci', description: '' })
  await app.member.put('/trails/acme/ci', { name: 'run' })
})

const commands = [
  ...ATTESTATION_TYPES.map(({ arguments: words }) => words.join(' ')),
  'custom --type coverage --attestation-data YOUR_DATA.json',
]

describe('waybill attest', () => {
  it.each(commands)('%s is refused', async words => {
    const before = await served.app.readEvents()
    const ran = await served.cli.run(`attest ${words} --name slot --flow ci --trail run`)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(await served.app.readEvents()).toEqual(before)
    expect((await served.cli.run('spool list')).stdout).toBe('The spool is empty.\n')
  })
})
