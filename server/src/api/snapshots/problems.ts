// Resolves snapshot expressions. The errors have the wording that existing clients compare.
import type { Db } from '../../db/database.ts'
import {
  formatRequested,
  parseExpression,
  parseSnappish,
  type SnapshotExpression,
} from '../../domain/snapshot/expression.ts'
import { type AppError, badRequest, notFound } from '../../lib/errors.ts'
import { requireActive } from '../environments/problems.ts'
import type { CallerOrg } from '../operation.ts'
import { findHead, type SnapshotHead, type SnapshotSelector } from './store.ts'

/** The head of a snapshot that exists. */
export type StoredHead = SnapshotHead & {
  [Field in
    | 'created_at'
    | 'compliant_count'
    | 'non_compliant_count'
    | 'unknown_count'
    | 'applied_policies'
    | 'cause'
    | 'actor']: NonNullable<SnapshotHead[Field]>
}

/** Converts a parsed expression to the parameters of the query. */
function toSelector(expression: SnapshotExpression): SnapshotSelector {
  const none = { index: null, behind: null, time: null }
  if (expression.kind === 'at') return { ...none, time: expression.time }
  if (expression.kind === 'behind') return { ...none, behind: expression.behind }
  const { index } = expression
  return index > 0 ? { ...none, index } : { ...none, behind: -index - 1 }
}

interface SnapshotNames {
  env_name: string
  snapshot_expression: string
  archived?: boolean | undefined
}

/** Finds the snapshot of a path. Throws a 400 or 404. */
export function requireSnapshot(
  tx: Db,
  org: CallerOrg,
  { env_name, snapshot_expression, archived }: SnapshotNames,
  now: Date,
): Promise<StoredHead> {
  const expression = parseExpression(snapshot_expression, now)
  if (!expression) throw badExpression(snapshot_expression, '')
  return requireHead(tx, org, {
    env_name,
    archived,
    selector: toSelector(expression),
    label: formatRequested(env_name, snapshot_expression),
  })
}

export interface NamedSnapshot {
  env_name: string
  archived?: boolean | undefined
  selector: SnapshotSelector
  /** Its name in error messages. */
  label: string
}

/** Parses an expression that contains the name of the environment. Throws a 400. */
export function parseNamedSnapshot(text: string, now: Date): NamedSnapshot {
  const named = parseSnappish(text, now)
  if (!named) throw badExpression(text, 'env')
  const { environment_name, expression, asked } = named
  return { env_name: environment_name, selector: toSelector(expression), label: asked }
}

/** Clients compare the start of the message. */
function badExpression(text: string, env: string): AppError {
  const number = env === '' ? 'N or #N' : `${env}, ${env}#N`
  return badRequest(
    `Bad snappish ${text}: a snapshot is ${number} (-1 is the latest), ${env}~N, ${env}@{now}, ` +
      `${env}@{YYYY-MM-DDTHH:MM:SS} or ${env}@{N.hours.ago}, also of days, weeks or months`,
  )
}

export async function requireHead(
  tx: Db,
  org: CallerOrg,
  { env_name, archived, selector, label }: NamedSnapshot,
): Promise<StoredHead> {
  const head = requireActive(await findHead(tx, org.org_id, env_name, selector), org.name, env_name, archived)
  if (isStored(head)) return head
  throw notFound(
    `Org: '${org.name}'. Snapshot '${label}' resolves to '${env_name}#${head.asked_index}'. ` +
      `len(snapshots) == ${head.latest_index}. Indexes are 1-based`,
  )
}

function isStored(head: SnapshotHead): head is StoredHead {
  return head.created_at !== null
}
