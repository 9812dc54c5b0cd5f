// Sends the forms of a trail: evidence with its files, overrides and approvals.
import { api, unwrap } from '../../../api.ts'
import type { Schemas } from '../../../parts/schemas.ts'
import { type AttestDraft, buildBody, type Kind, type Trail } from './draft.ts'

/** All kinds have the same path except for its last segment, and the same request. */
type ReportPath = '/attestations/{org}/{flow_name}/trail/{trail_name}/generic'

const getPath = (org: string, { flow_name, name }: Trail) => ({ org, flow_name, trail_name: name })

/** The browser reads the files while it sends them. */
export function sendEvidence(org: string, trail: Trail, kind: Kind, draft: AttestDraft) {
  const body = buildBody(kind, draft, trail)
  return unwrap(
    api.POST(kind.command.path as ReportPath, {
      params: { path: getPath(org, trail) },
      body: body as Schemas['GenericAttestation'],
      bodySerializer: () => {
        const form = new FormData()
        form.append('data_json', JSON.stringify(body))
        for (const file of draft.files) form.append('attachment_file', file, file.name)
        return form
      },
    }),
  )
}

export type OverrideBody = Schemas['OverrideAttestation']

/** Whether it waits for a second person. */
export async function sendOverride(org: string, trail: Trail, body: OverrideBody): Promise<boolean> {
  const request = api.POST('/attestations/{org}/{flow_name}/trail/{trail_name}/override', {
    params: { path: getPath(org, trail) },
    body,
  })
  await unwrap(request)
  return (await request).response.status === ACCEPTED
}

const ACCEPTED = 202

export const sendApproval = (org: string, flow_name: string, body: Schemas['ApprovalPost']) =>
  unwrap(api.POST('/approvals/{org}/{flow_name}', { params: { path: { org, flow_name } }, body }))
