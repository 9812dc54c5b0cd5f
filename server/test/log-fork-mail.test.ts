// A witness that has seen another log raises an alarm that reaches people: the admins get a mail, once, in the
// transaction that records it.
import PostalMime from 'postal-mime'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { BASE_URL, ORG, startTestApp, type TestApp } from './harness.ts'
import { type MailSink, startMailSink } from './mail-sink.ts'
import { until } from './patience.ts'
import { addPerson } from './people.ts'
import { askNow, type FakeWitness, passHour, startFakeWitness } from './witnesses.ts'

const SENTENCE =
  /The witness has cosigned \d+ leaves of this log, and the \d+ leaves of now do not begin with/

let mails: MailSink
let app: TestApp
let witnesses: [FakeWitness, FakeWitness]
beforeEach(async () => {
  mails = await startMailSink()
  app = await startTestApp({
    settings: {
      WAYBILL_ROLE: 'all',
      WAYBILL_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      WAYBILL_MAIL_FROM: 'robot@waybill.example',
    },
  })
  // The witnesses use the machine's clock.
  app.clock.advance(systemClock.now().getTime() - app.clock.now().getTime() + 600_000)
  await addPerson(app, 'eve', 'admin')
  await addPerson(app, 'zoe', 'admin')
  await addPerson(app, 'mia', 'member')
  // Only this log counts: the seed has others.
  await app.sql('delete from log_heads where org_id <> (select org_id from orgs where name = $1)', [ORG])
  witnesses = [await startFakeWitness('auditor.example/w1'), await startFakeWitness('bank.example/w1')]
  await ask()
})
afterEach(async () => {
  await app.stop()
  await mails.stop()
})

const ask = () => {
  const [auditor, bank] = witnesses
  return askNow(
    app,
    `witness auditor ${auditor.vkey} ${auditor.url}\nwitness bank ${bank.vkey} ${bank.url}\nquorum none\n`,
  )
}

/** The response of a witness that was shown another history before. */
const refuse = (witness: FakeWitness) => {
  witness.answer = (_, response) => void response.writeHead(422).end()
}

const listForks = async () =>
  (await app.readEvents('log_fork_reported')).map(({ data }) => [data.witness, data.told])
const listDeliveries = async () =>
  (await app.admin.get(`/notification-deliveries/${ORG}?event_type=LOG_FORK`)).body.deliveries

describe('a fork', () => {
  it('is mailed once to each admin, with all witnesses that have seen it', async () => {
    expect(await listDeliveries()).toEqual([])
    for (const witness of witnesses) refuse(witness)
    await passHour(app)
    await ask()
    await until(() => mails.arrived.length === 2)
    expect(mails.arrived.map(({ to }) => to).sort()).toEqual(['eve@example.com', 'zoe@example.com'])
    const { subject, text = '', html = '' } = await PostalMime.parse(mails.arrived[0]?.raw ?? '')
    expect(subject).toBe(`Alarm: a witness has seen another log of ${ORG}`)
    for (const body of [text, html]) {
      expect(body).toContain('auditor')
      expect(body).toContain('bank')
      expect(body).toMatch(SENTENCE)
      expect(body).toContain(`${BASE_URL}/${ORG}/proof`)
    }
    expect(text).toContain('Ask the operator of this service whether a backup was restored.')
    expect(await listForks()).toEqual([
      ['auditor', 2],
      ['bank', 2],
    ])
    await until(async () =>
      (await listDeliveries()).every(({ status }: { status: string }) => status === 'delivered'),
    )
    expect(await listDeliveries()).toMatchObject([
      { event_type: 'LOG_FORK', description: subject, notification: null, notification_type: null },
      { event_type: 'LOG_FORK' },
    ])
    // Sent only once.
    await passHour(app)
    await ask()
    expect(await listDeliveries()).toHaveLength(2)
  })

  it('that another witness sees later is mailed again', async () => {
    refuse(witnesses[0])
    await passHour(app)
    await ask()
    refuse(witnesses[1])
    await passHour(app)
    await ask()
    expect(await listForks()).toEqual([
      ['auditor', 2],
      ['bank', 2],
    ])
    expect(await listDeliveries()).toHaveLength(4)
  })

  it('is recorded if no admin has an address', async () => {
    await app.sql('update users set email = null')
    refuse(witnesses[0])
    await passHour(app)
    await ask()
    expect(await listForks()).toEqual([['auditor', 0]])
  })

  it('is recorded and mailed together, or neither; then it is retried', async () => {
    refuse(witnesses[0])
    await passHour(app)
    await app.sql('revoke insert on outbox from waybill_app')
    await ask()
    expect(await listForks()).toEqual([])
    expect(await app.sql(`select from log_witnesses where state = 'fork'`)).toEqual([])
    await app.sql('grant insert on outbox to waybill_app')
    await passHour(app)
    await ask()
    expect(await listForks()).toEqual([['auditor', 2]])
    await until(() => mails.arrived.length === 2)
  })
})
