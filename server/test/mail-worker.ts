// Runs what is queued as the worker does, with a mail server that keeps what it accepts.
import { saveInvitationMail } from '../src/api/invitations/store.ts'
import { attemptJob } from '../src/delivery/attempt.ts'
import { claimJobs } from '../src/delivery/outbox.ts'
import { parseJson } from '../src/http/json-gate.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { makeWorkCounters } from '../src/lib/work-counters.ts'
import { makeMailJob } from '../src/mail/job.ts'
import { makeMailer } from '../src/mail/queue.ts'
import type { SendMail } from '../src/mail/send.ts'
import { sendDigestsOnce } from '../src/mail/send-digests.ts'
import { makeSendLimited, type SendLimited } from '../src/mail/send-limited.ts'
import { makeDelivery } from '../src/notifications/deliver.ts'
import { BASE_URL, type Client, SECRET_KEY, type TestApp } from './harness.ts'
import { makeNotification } from './notifications.ts'
import { addPerson } from './people.ts'

/** Mails of organizations to an address in a day. */
export const MOST = 3

export type Arrived = Parameters<SendMail>[1]

export interface MailWorker {
  /** What the mail server has accepted. */
  arrived: Arrived[]
  /** What the mail server answers. */
  answer: Awaited<ReturnType<SendMail>>
  sendLimited: SendLimited
  /** Runs every job that is due. */
  deliver(): Promise<void>
  /** Queues the digests that are due, and runs every job. */
  sendDigests(): Promise<void>
}

export const ACCEPTED = { error: null, status: null, answer: '250 OK' }

export function makeMailWorker({ db, clock }: TestApp): MailWorker {
  const sealer = makeSealer(SECRET_KEY)
  const parts = { db, clock, log: makeLog('silent'), sealer, base_url: BASE_URL, ids: makeIds(clock) }
  const sendMail: SendMail = async (_id, mail) => {
    if (worker.answer.error === null) worker.arrived.push(mail)
    return worker.answer
  }
  const sendLimited = makeSendLimited({ ...parts, mails_per_address: MOST, sendMail })
  const kinds = {
    mail: makeMailJob({
      ...parts,
      sendLimited,
      parseJson,
      saveInvitationMail: (...mail) => saveInvitationMail(db, ...mail),
    }),
    delivery: makeDelivery({ ...parts, sendLimited, egress: { post: refuse } }),
  }
  const attempt = { ...parts, kinds, work: makeWorkCounters(), random: () => 0.5, retry_schedule_s: [0, 60] }
  const worker: MailWorker = {
    arrived: [],
    answer: ACCEPTED,
    sendLimited,
    deliver: async () => {
      for (let jobs = await claimAll({ db, clock }); jobs.length > 0; jobs = await claimAll({ db, clock })) {
        for (const job of jobs) await attemptJob(job, attempt)
      }
    },
    sendDigests: async () => {
      await sendDigestsOnce({ ...parts, mailer: makeMailer(parts.ids, sealer), parseJson })
      await worker.deliver()
    },
  }
  return worker
}

const refuse = () => Promise.reject(new Error('no webhook'))

function claimAll({ db, clock }: Pick<TestApp, 'db' | 'clock'>) {
  const now = clock.now()
  const until = new Date(now.getTime() + 60_000)
  const limits = { limit: 100, max_per_sponsor: 100, max_per_target: 100 }
  const busy = { busy: {}, busy_orgs: {}, busy_targets: {} }
  return claimJobs(db, { now, lease_until: until, probe_until: until, ...limits, ...busy })
}

export interface Stranger {
  org: string
  client: Client
}

/** Organizations that people opened for themselves, three for each. */
export async function openOrgs(app: TestApp, people: readonly string[]): Promise<Stranger[]> {
  const opened: Stranger[] = []
  for (const person of people) {
    const client = await addPerson(app, person)
    for (const org of [1, 2, 3].map(n => `of-${person}-${n}`)) {
      const { status } = await client.post('/organizations', { name: org })
      if (status !== 201) throw new Error(`not opened: ${status}`)
      opened.push({ org, client })
    }
  }
  return opened
}

/** Every organization invites the address once. */
export async function inviteFromAll(strangers: readonly Stranger[], email: string): Promise<void> {
  for (const { org, client } of strangers) {
    const { status } = await client.post(`/invitations/${org}`, { email, role: 'reader' })
    if (status !== 201) throw new Error(`not invited: ${status}`)
  }
}

/** What became of the mails of these invitations, as the organizations see it. */
export async function readMailStates(strangers: readonly Stranger[], email: string): Promise<string[]> {
  const lists = await Promise.all(strangers.map(({ org, client }) => client.get(`/invitations/${org}`)))
  return lists.flatMap(({ body }) =>
    body.filter((one: { email: string }) => one.email === email).map((one: { mail: string }) => one.mail),
  )
}

let notifications = 0

/** A message of acme to these addresses. */
export async function notify(app: TestApp, ...emails: string[]): Promise<void> {
  const name = `n-${++notifications}`
  await app.member.put('/environments/acme', { name, type: 'K8S', description: '' })
  const { number } = await makeNotification(app, {
    name,
    environments: [name],
    triggers: ['ON_NON_COMPLIANT_ENV'],
    targets: [{ type: 'EMAIL', emails }],
  })
  const path = `/organizations/acme/environments_notifications/${number}/test`
  const { status } = await app.admin.post(path)
  if (status !== 201) throw new Error(`not notified: ${status}`)
}
