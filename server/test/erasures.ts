// Reports with personal data, for tests of erasure, and their entries in the log.
import { makeOwnerDb } from '../src/db/owner.ts'
import { findLogProblems } from '../src/log/check.ts'
import { makeFile, ORG, type TestApp } from './harness.ts'

export const FLOW = 'shipping'
export const AUTHOR = 'Grace Hopper <grace@example.com>'
export const SHA1 = 'a'.repeat(40)
export const REASON = { reason: 'data_subject_request' }
const FINGERPRINT = 'b'.repeat(64)

/** The index of the first leaf of a write. */
export const readIndex = ({ headers }: { headers: Record<string, unknown> }): number =>
  Number(/index=(\d+)/.exec(String(headers['waybill-log']))?.[1])

export async function prepareErasure(app: TestApp) {
  const org_id = String((await app.sql('select org_id from orgs where name = $1', [ORG]))[0]?.org_id)
  await app.admin.put(`/flows/${ORG}`, { name: FLOW, description: '' })
  return {
    org_id,
    findProblems: () => findLogProblems(makeOwnerDb(app.owner)),
    erase: (index: number, body: unknown = REASON) =>
      app.admin.post(`/log/${ORG}/bodies/${index}/erase`, body),
    readBody: (index: number) => app.reader.get(`/log/${ORG}/bodies/${index}`),
    beginTrail: (name: string) =>
      app.member.put(`/trails/${ORG}/${FLOW}`, {
        name,
        description: `asked for by ${AUTHOR}`,
        user_data: { reviewer: AUTHOR },
        git_commit_info: { sha1: SHA1, author: AUTHOR, message: `by ${AUTHOR}`, branch: 'main' },
      }),
    attest: (trail: string) =>
      app.member.form('POST', `/attestations/${ORG}/${FLOW}/trail/${trail}/generic`, {
        data_json: JSON.stringify({
          attestation_name: 'review',
          is_compliant: true,
          description: `reviewed by ${AUTHOR}`,
          git_commit_info: { sha1: SHA1, author: AUTHOR },
        }),
        attachment_file: makeFile(`signed: ${AUTHOR}, for ${trail}`),
      }),
    reportArtifact: (trail_name: string) =>
      app.member.post(`/artifacts/${ORG}/${FLOW}`, {
        fingerprint: FINGERPRINT,
        filename: 'app',
        git_commit: SHA1,
        git_commit_info: { sha1: SHA1, author: AUTHOR },
        build_url: 'https://ci.example.com/1',
        commit_url: 'https://git.example.com/1',
        trail_name,
        template_reference_name: 'app',
      }),
    readEvent: async (index: number) => {
      const [row] = await app.sql(
        `select e.event_id::text as event_id, e.actor, e.data, e.salt, e.parts, e.caller
         from events e join log_leaves l using (org_id, event_id) where l.org_id = $1 and l.seq = $2`,
        [org_id, index],
      )
      return { ...row, event_id: String(row?.event_id) }
    },
  }
}

export type Erasing = Awaited<ReturnType<typeof prepareErasure>>
