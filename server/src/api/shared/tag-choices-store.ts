// The tags that the rows of a table have, for lists to choose from.
import type { Database } from '../../db/database.ts'
import { defineStatement, readsWholeOrg, text, uuid } from '../../db/statement.ts'

const STATEMENTS = {
  controls: defineChoices('controls'),
  repos: defineChoices('repos'),
}

function defineChoices(table: 'controls' | 'repos') {
  return defineStatement(
    `${table}.tag_choices`,
    { org_id: uuid },
    { key: text, value: text },
    `select distinct tag.key, tag.value from ${table} r cross join lateral jsonb_each_text(r.tags) tag
     where r.org_id = :org_id order by 1, 2`,
    readsWholeOrg(`the tags of all ${table}`),
  )
}

export function listTagChoices(db: Database, org_id: string, table: keyof typeof STATEMENTS) {
  return db.read({ org_id }, STATEMENTS[table], { org_id })
}
