// The statement that reads the tags of all controls.
import type { Database } from '../../db/database.ts'
import { defineStatement, readsWholeOrg, text, uuid } from '../../db/statement.ts'

const tags = defineStatement(
  'controls.tag_choices',
  { org_id: uuid },
  { key: text, value: text },
  `select distinct tag.key, tag.value from controls c cross join lateral jsonb_each_text(c.tags) tag
   where c.org_id = :org_id order by 1, 2`,
  readsWholeOrg('the tags of all controls'),
)

export function listTagChoices(db: Database, org_id: string) {
  return db.read({ org_id }, tags, { org_id })
}
