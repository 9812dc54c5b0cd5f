// The data that log leaves cover: every event kind declares it, and if anything that operations store is changed
// behind their backs, the check names the leaf.
import { beforeAll, describe, expect, it } from 'vitest'
import { makeOwnerDb } from '../src/db/owner.ts'
import { COVERAGE } from '../src/events/coverage.ts'
import { EVENT_KINDS } from '../src/events/kinds.ts'
import { findLogProblems } from '../src/log/check.ts'
import { fillOrg } from './filled-org.ts'
import { ORG, startTestApp, type TestApp } from './harness.ts'
import { addPerson } from './people.ts'

let app: TestApp
let org_id: string
beforeAll(async () => {
  app = await startTestApp()
  org_id = (await fillOrg(app, app.admin, ORG)).org_id
  const [repo] = await app.sql('select left(repo_id::text, 32) as id from repos where org_id = $1', [org_id])
  const tagged = await app.admin.patch(`/tags/${ORG}/repo/${repo?.id}`, { set_tags: { team: 'a' } })
  expect(tagged.status).toBe(200)
  await addPerson(app, 'leaver', 'member')
  expect((await app.admin.patch(`/service-accounts/${ORG}/robot`, { owner: 'leaver' })).status).toBe(200)
  expect((await app.admin.delete(`/members/${ORG}/leaver`)).status).toBe(200)
  return () => app.stop()
})

const findProblems = () => findLogProblems(makeOwnerDb(app.owner))

describe('the table of covered data', () => {
  it('has every kind of event', () => {
    expect(Object.keys(COVERAGE).sort()).toEqual([...EVENT_KINDS].sort())
  })
})

interface Covered {
  /** The name that the check uses. */
  named: string
  /** Columns that the check names otherwise. */
  others?: Record<string, string>
  /** Uncovered columns, by the reason. */
  except?: Record<string, string>
}

const DERIVED = 'follows from what is covered'
const KEY = 'the id by which the leaf names the row'
const TOUCHED = 'says when the row was written last, and changes without events'

/** Everything that operations store for auditors to rely on. The organization's trust rule has no event. */
const TABLES: Record<string, Covered> = {
  orgs: {
    named: 'stored org',
    except: {
      created_at: 'is the time of the first event',
      delete_requested_at: 'the end of the period is covered',
      membership_events: 'counts',
      notifications: 'counts',
      name_clash: DERIVED,
      name_key: DERIVED,
      sponsor: 'says only whose turns it takes',
    },
  },
  memberships: { named: 'stored member', except: { user_id: KEY } },
  invitations: {
    named: 'stored invitation',
    except: {
      invitation_id: KEY,
      email_key: DERIVED,
      token_hash: 'a secret',
      sent_at: TOUCHED,
      mail: TOUCHED,
      expires_at: TOUCHED,
      accepted_at: 'the event of the acceptance says so',
      accepted_by: 'the event of the acceptance says so',
      withdrawn_at: 'an expired invitation is withdrawn without an event',
      scim_id: 'the address connects the two',
    },
  },
  decisions: {
    named: 'stored decision',
    except: {
      decision_id: KEY,
      asked_by_id: 'the caller of the event',
      closed_at: 'open',
      closed_by: 'open',
    },
  },
  service_accounts: {
    named: 'stored service_account',
    others: { owner_left_as: 'stored former_owner' },
    except: {
      service_account_id: KEY,
      creating_user_id: 'the caller of the event',
      for_webhook: 'unused',
      owner_name: DERIVED,
      deleted_at: 'only whether it is deleted',
    },
  },
  service_account_keys: {
    named: 'stored key',
    except: {
      key_id: KEY,
      secret_hash: 'a secret',
      last_used_at: TOUCHED,
      last_used_from: TOUCHED,
      revoked_by: 'the actor of the event',
      expiry_notice: TOUCHED,
    },
  },
  mail_domains: {
    named: 'stored mail_domain',
    except: { domain: KEY, checked_at: TOUCHED, problem: TOUCHED, confirmed_at: TOUCHED },
  },
  scim_tokens: {
    named: 'stored scim_token',
    except: {
      token_id: KEY,
      secret_hash: 'a secret',
      hint: 'in the event',
      last_used_at: TOUCHED,
      owner_name: DERIVED,
    },
  },
  badges: { named: 'stored badge', except: { badge_id: KEY, secret_hash: 'a secret' } },
  scim_users: {
    named: 'stored provisioned_user',
    except: {
      scim_id: KEY,
      user_id: 'set when the person accepts',
      user_key: DERIVED,
      email_key: DERIVED,
      created_at: 'the time of the event',
      last_modified_at: TOUCHED,
    },
  },
  scim_groups: {
    named: 'stored provisioned_group',
    except: {
      group_id: KEY,
      display_key: DERIVED,
      created_at: 'the time of the event',
      last_modified_at: TOUCHED,
    },
  },
  templates: {
    named: 'stored flow',
    except: {
      template_id: KEY,
      content_sha256: DERIVED,
      parsed: DERIVED,
      fresh_state: DERIVED,
      created_at: 'the flow has it',
    },
  },
  flows: {
    named: 'stored flow',
    except: { flow_id: KEY, last_modified_at: TOUCHED, approvals: 'counts', template_id: 'by its content' },
  },
  repos: {
    named: 'stored repo_tags',
    except: {
      repo_id: KEY,
      provider: 'as reported last',
      external_id: 'as reported last',
      name: 'as reported last',
      url: 'as reported last',
      description: 'as reported last',
      namespace_path: 'as reported last',
      additional_info: 'as reported last',
      created_at: TOUCHED,
      last_modified_at: TOUCHED,
    },
  },
  trails: {
    named: 'trail_reported',
    except: {
      trail_id: KEY,
      flow_id: 'a trail of another flow has no event there',
      template_id: 'by its content',
      compliance_state: DERIVED,
      evaluated_at: TOUCHED,
      last_modified_at: TOUCHED,
      git_commit: DERIVED,
    },
  },
  approvals: {
    named: 'stored approval',
    except: { flow_id: KEY, number: KEY, last_modified_at: TOUCHED },
  },
  attestations: {
    named: 'attestation_reported',
    except: { artifact_id: 'the fingerprint is in the event', target_artifacts: 'of an artifact, its name' },
  },
  attestation_files: {
    named: 'attestation_reported',
    except: { attestation_id: KEY, position: 'the order, which is covered' },
  },
  artifact_reports: { named: 'artifact_creation_reported', except: {} },
  artifacts: {
    named: 'artifact_creation_reported',
    except: {
      template_reference_name: 'in the event',
      state: DERIVED,
      is_current: DERIVED,
      repo_id: DERIVED,
      report_id: 'every report is covered',
      reported_by: 'every report is covered',
      created_by: 'every report is covered',
      created_at: 'every report is covered',
      last_modified_at: TOUCHED,
    },
  },
  custom_attestation_types: {
    named: 'stored custom_type',
    except: { type_id: KEY, name: KEY, last_modified_at: TOUCHED },
  },
  custom_attestation_type_versions: { named: 'stored custom_type', except: { type_id: KEY } },
  controls: { named: 'stored control', except: { control_id: KEY, last_modified_at: TOUCHED } },
  control_versions: { named: 'stored control', except: { control_id: KEY } },
  environments: {
    named: 'stored environment',
    except: {
      environment_id: KEY,
      state: DERIVED,
      latest_index: DERIVED,
      last_changed_at: DERIVED,
      last_reported_at: TOUCHED,
      report_sha256: TOUCHED,
      last_modified_at: TOUCHED,
      stale_at: DERIVED,
      stale_noticed_at: TOUCHED,
      unlogged_reports: TOUCHED,
      unlogged_since: TOUCHED,
      confirmed_at: TOUCHED,
      observed_at: TOUCHED,
      reporter: TOUCHED,
      partial_since: 'the events of its snapshots say so',
      missing: TOUCHED,
      client_type: 'how a client spelled the type',
    },
  },
  environment_members: { named: 'stored environment', except: { environment_id: KEY, position: 'order' } },
  environment_policies: {
    named: 'stored environment',
    except: { environment_id: KEY, position: 'order', attached_by: 'the event', attached_at: 'the event' },
  },
  policies: { named: 'stored policy', except: { policy_id: KEY, last_modified_at: TOUCHED } },
  policy_versions: { named: 'stored policy', except: { policy_id: KEY, parsed: DERIVED } },
  allow_list: { named: 'stored allow_list_entry', except: { entry_id: KEY } },
  late_reports: { named: 'environment_late_report', except: { late_report_id: KEY } },
  snapshots: { named: 'snapshot_taken', except: { environment_id: KEY, snapshot_index: KEY } },
  runs: {
    named: 'snapshot_taken',
    except: {
      run_id: DERIVED,
      replaced: 'what ran before',
      to_index: 'the end',
      is_exit: 'the next snapshot',
      node: DERIVED,
    },
  },
  verdicts: {
    named: 'snapshot_taken',
    except: { verdict_id: DERIVED, to_index: 'the end', node: DERIVED },
  },
  notifications: {
    named: 'stored notification',
    except: { notification_id: KEY, is_created_from_chat_app: 'unused', last_modified_at: TOUCHED },
  },
  notification_targets: {
    named: 'stored notification',
    except: {
      target_id: KEY,
      position: 'order',
      webhook_sealed: 'a secret',
      secret_sealed: 'a secret',
      old_secret_sealed: 'a secret',
      old_secret_until: 'a secret',
      context: 'of chat apps',
      last_success_at: TOUCHED,
      last_failure_at: TOUCHED,
      last_error: TOUCHED,
      failing_since: TOUCHED,
      switched_off_at: 'has an event',
      created_at: 'the event',
      client_type: 'how a client spelled the type',
      notification_type: 'of a configuration',
    },
  },
}

/** How an intruder changes a value, by column type. */
const CHANGES: Record<string, string> = {
  text: `coalesce(%, '') || 'x'`,
  bool: 'not coalesce(%, false)',
  int4: 'coalesce(%, 0) + 1000',
  int8: 'coalesce(%, 0) + 1000',
  uuid: 'gen_random_uuid()',
  timestamptz: `coalesce(%, now()) + interval '1 day'`,
  json: `'{"changed":true}'`,
  jsonb: `'{"changed":true}'`,
  _text: `array_append(%, 'x')`,
  _uuid: 'array_append(%, gen_random_uuid())',
}

interface Column {
  table: string
  column: string
  named: string
  change: string
}

async function listColumns(): Promise<Column[]> {
  const rows = await app.sql(
    `select table_name::text as table, column_name::text as column, udt_name::text as type
     from information_schema.columns
     where table_schema = 'public' and table_name = any ($1) and column_name <> 'org_id' and is_generated = 'NEVER'`,
    [Object.keys(TABLES)],
  )
  return rows.flatMap(({ table, column, type }) => {
    const change = CHANGES[String(type)]
    if (TABLES[String(table)]?.except?.[String(column)] !== undefined) return []
    if (change === undefined) throw new Error(`no change for ${table}.${column}, a ${type}`)
    return [
      {
        table: String(table),
        column: String(column),
        named: TABLES[String(table)]?.others?.[String(column)] ?? TABLES[String(table)]?.named ?? '',
        change: change.replaceAll('%', `"${column}"`),
      },
    ]
  })
}

/** One column of each name at a time: the check reads everything, so it runs once for all of them. */
function groupIntoRounds(columns: readonly Column[]): Column[][] {
  const rounds: Column[][] = []
  for (const column of columns) {
    const free = rounds.find(round => round.every(({ named }) => named !== column.named))
    if (free) free.push(column)
    else rounds.push([column])
  }
  return rounds
}

describe('an organization with rows in every table', () => {
  it('matches its log', async () => {
    expect(await findProblems()).toEqual([])
  })

  it('no longer does when any column is changed, and the check names the leaf', async () => {
    // The owner can disable the protection of the tables.
    await app.sql('set session_replication_role = replica')
    for (const { conname, table } of await app.sql(
      `select conname, conrelid::regclass::text as table from pg_constraint
       where contype in ('c', 'x') and connamespace = 'public'::regnamespace and conrelid::regclass::text = any ($1)`,
      [Object.keys(TABLES)],
    ))
      await app.sql(`alter table ${table} drop constraint "${conname}"`)
    const unnoticed: string[] = []
    for (const columns of groupIntoRounds(await listColumns())) {
      await app.sql('begin')
      for (const { table, column, change } of columns)
        await app.sql(
          `update ${table} set "${column}" = ${change} where org_id = $1 and ctid = (
             select ctid from ${table} where org_id = $1 order by ctid limit 1)`,
          [org_id],
        )
      const found = (await findProblems()).join('\n')
      await app.sql('rollback')
      for (const { table, column, named } of columns)
        if (!new RegExp(`: leaf \\d+ .*${named}.*(changed|removed|lost)`).test(found))
          unnoticed.push(`${table}.${column}: ${found}`)
    }
    await app.sql('set session_replication_role = origin')
    expect(unnoticed).toEqual([])
  })
})
