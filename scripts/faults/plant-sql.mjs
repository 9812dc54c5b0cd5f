// Plants a fault in the template database that every test file clones. A global setup of vitest, which runs after the
// one that creates the template.
import pg from 'pg'
import { TEMPLATE_DATABASE } from '../../server/test/cluster.ts'

export async function setup(project) {
  const { cluster, planted_sql } = project.getProvidedContext()
  const owner = new pg.Client({ ...cluster, database: TEMPLATE_DATABASE })
  await owner.connect()
  try {
    await owner.query(planted_sql)
  } finally {
    await owner.end()
  }
}
