// The operations that archive and unarchive a resource. Repeating either one changes nothing.
import type { TSchema } from 'typebox'
import type { Db } from '../../db/database.ts'
import type { EventKind } from '../../events/kinds.ts'
import type { AppError } from '../../lib/errors.ts'
import {
  type Contract,
  type Deps,
  defineOperation,
  type Operation,
  type OperationRequest,
} from '../operation.ts'
import { OK, Ok } from './wire.ts'

interface Archivable<Row> {
  /** The path of the resource, which ends with the parameter that names it. */
  path: string
  tag: string
  access: 'member' | 'admin'
  params: TSchema
  /** Finds the resource, archived or not, and locks it. */
  lock(tx: Db, org_id: string, name: string): Promise<Row | undefined>
  missing(name: string, org: string): AppError
}

type ArchiveRequest = OperationRequest<Contract & { access: 'member' }>

interface Direction<Row> extends Pick<Contract, 'id' | 'summary' | 'description' | 'example'> {
  verb: 'archive' | 'unarchive'
  audit: EventKind | readonly EventKind[]
  /** In addition to 403 and 404. */
  fails?: readonly number[]
  change(tx: Db, request: ArchiveRequest, row: Row, deps: Deps): Promise<void>
}

export function defineArchiving<Row extends { archived_at: Date | null }>(
  { path, tag, access, params, lock, missing }: Archivable<Row>,
  { verb, audit, fails = [], change, ...words }: Direction<Row>,
): Operation {
  const parameter = path.slice(path.lastIndexOf('{') + 1, -1)
  return defineOperation(
    {
      ...words,
      method: 'PUT',
      path: `${path}/${verb}`,
      tag,
      access,
      audit,
      params,
      returns: Ok,
      fails: [403, 404, ...fails],
    },
    (request, deps) => {
      const { org } = request
      const { [parameter]: name = '' } = request.params as Record<string, string>
      return deps.db.withTransaction({ org_id: org.org_id }, async tx => {
        const row = await lock(tx, org.org_id, name)
        if (!row) throw missing(name, org.name)
        const isDone = (row.archived_at !== null) === (verb === 'archive')
        if (!isDone) await change(tx, request, row, deps)
        return OK
      })
    },
  )
}
