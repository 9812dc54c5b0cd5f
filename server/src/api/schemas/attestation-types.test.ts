import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/harness.ts'
import { makeFlow } from '../../../test/reports.ts'
import { makeStatementLog } from '../../../test/statement-log.ts'
import { ATTESTATION_TYPES } from '../../domain/attestation/types.ts'

let app: TestApp
beforeAll(async () => {
  app = await startTestApp()
  await makeFlow(app, 'ci')
  await app.member.put('/trails/acme/ci', { name: 'run' })
})
afterAll(() => app.stop())

const fill = (path: string) =>
  path.replace('{org}', 'acme').replace('{flow_name}', 'ci').replace('{trail_name}', 'run')

describe('200', () => {
  it('lists every built-in type to anyone, without using the database', async () => {
    const { statements, waits, during } = makeStatementLog()
    const { status, body } = await during(() => app.anonymous.get('/schemas/attestation-types/v1'))
    expect(status).toBe(200)
    expect(body.map(({ name }: { name: string }) => name)).toEqual(ATTESTATION_TYPES.map(({ name }) => name))
    expect(body).toContainEqual({
      name: 'decision',
      attestation_type: 'system:decision',
      title: 'Decision on a control',
      summary: 'Compliant when it says so; the control need not exist',
      is_stated: true,
      example: expect.objectContaining({ attestation_name: 'four-eyes', control: 'CTRL-7' }),
      command: {
        method: 'POST',
        path: '/attestations/{org}/{flow_name}/trail/{trail_name}/system',
        body: {
          type_name: 'decision',
          control: 'YOUR_CONTROL',
          attestation_data: { is_compliant: 'TRUE_OR_FALSE' },
        },
        arguments: ['decision', '--control', 'YOUR_CONTROL', '--compliant=TRUE_OR_FALSE'],
      },
    })
    expect([statements, waits]).toEqual([[], []])
  })

  it.each(ATTESTATION_TYPES.map(({ name }) => name))(
    'has an example of %s that its path accepts, and whose names fill a slot and a filter',
    async name => {
      const { body } = await app.anonymous.get('/schemas/attestation-types/v1')
      const type = body.find((each: { name: string }) => each.name === name)
      await makeFlow(app, name, `version: 1\ntrail: {attestations: [{name: slot, type: ${name}}]}\n`)
      await app.member.put(`/trails/acme/${name}`, { name: 'run' })
      const path = fill(type.command.path).replace('/ci/', `/${name}/`)
      const sent = { ...type.example, attestation_name: 'slot' }
      expect((await app.member.post(path, sent)).status).toBe(201)
      const trail = await app.reader.get(`/trails/acme/${name}/run`)
      expect(trail.body.compliance_status.attestations_statuses).toMatchObject([
        { attestation_name: 'slot', attestation_type: type.attestation_type, status: 'COMPLETE' },
      ])
      const found = await app.reader.get(`/attestations/acme?flow=${name}&type=${name}`)
      expect(found.body.data).toMatchObject([{ attestation_type: type.attestation_type }])
      const override = {
        attestation_name: 'slot',
        reason: 'why',
        new_compliance_status: true,
        original_attestation_type: name,
      }
      expect((await app.member.post(path.replace(/\w+$/, 'override'), override)).status).toBe(200)
      expect((await app.reader.get(`/trails/acme/${name}/run`)).body.compliance_state).toBe('COMPLIANT')
    },
  )

  it('has the names under which the database stores the types', async () => {
    for (const { name, stored_name } of ATTESTATION_TYPES) {
      const { rows } = await app.owner.query('select stored_type($1)', [name])
      expect(rows).toEqual([{ stored_type: stored_name }])
    }
  })
})

describe('a command', () => {
  it.each(ATTESTATION_TYPES.map(({ name }) => name))(
    'for %s is refused as it stands: it would record a made-up result',
    async name => {
      const { body } = await app.anonymous.get('/schemas/attestation-types/v1')
      const { command } = body.find((each: { name: string }) => each.name === name)
      const before = await app.readEvents()
      const { status } = await app.member.post(fill(command.path), {
        attestation_name: 'slot',
        ...command.body,
      })
      expect(status).toBe(400)
      expect(await app.readEvents()).toEqual(before)
    },
  )
})

describe('400', () => {
  it('refuses an unknown parameter', async () => {
    const { status, body } = await app.anonymous.get('/schemas/attestation-types/v1?org=acme')
    expect(status).toBe(400)
    expect(body.errors).toEqual({ 'query.org': 'Extra inputs are not permitted [input: acme]' })
  })
})
