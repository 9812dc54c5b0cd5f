// Rejects a secret key that cannot open this database's sealed secrets. Otherwise a service with the wrong key would
// start, send nothing to any target, and seal new secrets that the others cannot read.
import type pg from 'pg'
import type { Sealer } from '../lib/sealer.ts'
import type { Database } from './database.ts'
import { SchemaProblem } from './migrate.ts'
import { defineStatement, nullable, text } from './statement.ts'

const PURPOSE = 'secret-check'
const CONTENT = 'sealed with the secret key of this database'

/** The purposes match notifications/purposes.ts, which is above this folder. */
const SEALED_BEFORE = `select 'webhook-address' as purpose, webhook_sealed as sealed
  from notification_targets where webhook_sealed is not null order by created_at desc limit 1`

const read = defineStatement(
  'secret_check.read',
  {},
  { sealed: nullable(text) },
  'select sealed from secret_check',
)

/** Without the schema owner nothing can be sealed here: the first start with the owner does it. */
export async function refuseOtherSecretKeyAsApp(
  db: Database,
  sealer: Sealer,
  setting: string,
): Promise<void> {
  const [row] = await db.runOnce({}, read, {})
  const sealed = row?.sealed ?? undefined
  if (sealed !== undefined && sealer.open(PURPOSE, sealed) !== CONTENT) throw otherKey(setting)
}

/** `setting` names the source of the key. Seals a value if there is none yet. */
export async function refuseOtherSecretKey(owner: pg.Client, sealer: Sealer, setting: string): Promise<void> {
  await owner.query('begin')
  try {
    // One start at a time, because the first one decides.
    await owner.query('lock table secret_check in share row exclusive mode')
    const { rows } = await owner.query('select sealed from secret_check')
    const sealed = rows[0]?.sealed
    const isFirst = typeof sealed !== 'string'
    const known = isFirst ? rows.length === 0 && (await owner.query(SEALED_BEFORE)).rows[0] : undefined
    const opened = isFirst
      ? !known || sealer.open(known.purpose, known.sealed) !== undefined
      : sealer.open(PURPOSE, sealed) === CONTENT
    if (!opened) throw otherKey(setting)
    if (isFirst) {
      await owner.query(
        'insert into secret_check (sealed) values ($1) on conflict (only_row) do update set sealed = excluded.sealed',
        [sealer.seal(PURPOSE, CONTENT)],
      )
    }
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}

function otherKey(setting: string): SchemaProblem {
  return new SchemaProblem(
    `${setting} is not the key that the secrets in this database were sealed with; set the key of the first start. ` +
      'If it is lost, see "A lost secret key" in docs/operate/back-up.md',
  )
}
