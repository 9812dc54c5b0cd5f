// Records in the log what was downloaded as evidence: its hash, who asked, and for what.
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { ISSUED, type Issued } from '../../domain/audit-package/seal.ts'
import { type RequestContext, recordEvent } from '../../events/record.ts'
import { orgFrozen } from '../../lib/errors.ts'
import { isWritable } from '../../log/content-store.ts'
import { type CallerOrg, type Deps, Download } from '../operation.ts'

export interface IssueRequest extends RequestContext {
  readonly org: CallerOrg
}

/** Whether a download is recorded: strangers must not be able to make the log grow. */
export const isRecorded = ({ org }: IssueRequest): boolean => !org.is_visitor

/** The event comes last; a download that could not be recorded must not begin. */
export async function requireWritable({ org: { org_id } }: IssueRequest, { db }: Deps): Promise<void> {
  const writable = await db.withTransaction({ org_id }, isWritable)
  if (!writable) throw orgFrozen()
}

/** Returns the id of the event. */
export async function recordIssued(
  issued: Issued,
  request: IssueRequest,
  { db, ids }: Deps,
): Promise<string> {
  const { org, caller, now, request_id } = request
  // Without the receipt: the headers of the response have been sent.
  const context = { org, caller, now, request_id }
  return db.withTransaction({ org_id: org.org_id }, tx =>
    recordEvent(tx, context, ids, { kind: ISSUED, data: { ...issued } }),
  )
}

/** Records the hash of a file. Its end is sent only after that. */
export async function recordDownload(
  { name, content, bytes, type }: Download,
  issued: Omit<Issued, 'sha256'>,
  request: IssueRequest,
  deps: Deps,
): Promise<Download> {
  if (!isRecorded(request)) return new Download(name, content, bytes, type)
  await requireWritable(request, deps)
  const send = (sha256: string) => recordIssued({ ...issued, sha256 }, request, deps)
  return new Download(name, Readable.from(hashWhole(content, send)), bytes, type)
}

async function* hashWhole(
  content: Readable,
  send: (sha256: string) => Promise<unknown>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let held: Buffer | undefined
  for await (const chunk of content) {
    if (held) yield held
    held = Buffer.from(chunk)
    hash.update(held)
  }
  await send(hash.digest('hex'))
  if (held) yield held
}
