// The error for a control that has no decisions because it does not exist.
import type { Deps } from '../../operation.ts'
import { noSuchControl } from '../problems.ts'
import { isControl } from './store.ts'

export async function requireControl(
  db: Deps['db'],
  org: { org_id: string; name: string },
  identifier: string,
): Promise<void> {
  if (!(await isControl(db, org.org_id, identifier))) throw noSuchControl(identifier, org.name)
}
