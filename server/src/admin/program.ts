// The command line of `waybill admin`: arguments, options and output. The other files of this folder do the work.
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import type pg from 'pg'
import { findOrg } from '../api/orgs/store.ts'
import { findUser } from '../api/users/store.ts'
import { readDatabaseTime } from '../db/database-clock.ts'
import { listEventTables } from '../db/event-months.ts'
import { type Cluster, migrateCluster } from '../db/open.ts'
import { ORG_NAME, USER_NAME } from '../domain/names.ts'
import { type Admin, AdminProblem } from './actor.ts'
import { applySetUp, parseSetUp } from './apply.ts'
import { addAuditSinkCommands } from './audit-sink-commands.ts'
import { type BackupParts, createBackup } from './backup.ts'
import type { Manifest } from './backup-manifest.ts'
import { parseCells, writeNginxConfiguration } from './cells.ts'
import { checkIntegrity } from './check.ts'
import { checkAttachments } from './check-evidence.ts'
import { addClockCommands } from './clock-commands.ts'
import { addDoctorCommand } from './doctor.ts'
import { addEventCommands } from './event-commands.ts'
import {
  importKey,
  type KeyOwner,
  listOwnerKeys,
  mintKey,
  requireAccountOwner,
  requireUserOwner,
  revokeOwnerKey,
} from './keys.ts'
import { addLogCommands } from './log-commands.ts'
import { describeLostLogs } from './lost-logs.ts'
import { addOrgCommands } from './org-commands.ts'
import { ensureMember, ensureUser } from './people.ts'
import { restore } from './restore.ts'
import { type AdminParts, formatChanges, type Output, print, run, withCluster, withOwner } from './run.ts'
import { addUserCommands } from './user-commands.ts'

export type { AdminParts } from './run.ts'

const GROUPS = [
  addDoctorCommand,
  addOrgCommands,
  addEventCommands,
  addLogCommands,
  addAuditSinkCommands,
  addClockCommands,
  addCopyCommands,
  addCellCommands,
]

export function buildAdminCommand(parts: AdminParts): Command {
  const admin = new Command('admin').description('set up and maintain a Waybill database')
  const json = ['--json', 'print JSON'] as const

  admin
    .command('apply')
    .argument('<file>', 'YAML file, or - for standard input')
    .option(...json)
    .description('create or update users, organizations, members and keys as a file describes them')
    .action((file: string, options) => run(parts, options, tools => apply(readInput(parts, file), tools)))

  const user = admin.command('user').description('people')
  user
    .command('create')
    .argument('<name>')
    .requiredOption('--email <address>')
    .option('--org <role@org>', 'add the user to an organization; may be repeated', collect, [])
    .option(...json)
    .description('create a user and an API key, which is printed once')
    .action((name: string, options) => run(parts, options, tools => createUser(name, options, tools)))

  addUserCommands(user, parts)
  const key = admin.command('key').description('API keys')
  for (const verb of ['import', 'create'] as const) {
    key
      .command(verb)
      .option('--user <name>')
      .option('--service-account <name>')
      .option('--org <org>', 'the organization of the service account')
      .option(
        '--description <text>',
        'what the key is for',
        verb === 'import' ? 'imported' : 'created by an operator',
      )
      .option(...json)
      .description(
        verb === 'import'
          ? 'import a secret from standard input as a key'
          : 'create a key, which is printed once',
      )
      .action(options =>
        run(parts, options, tools =>
          verb === 'import' ? importKeyFromInput(parts, options, tools) : createKey(options, tools),
        ),
      )
  }
  addKeyCommands(key, parts)

  admin
    .command('migrate')
    .option(...json)
    .description('migrate the database schema to the current version')
    .action(options =>
      withCluster(parts, async cluster => print(parts, options, await runMigrations(cluster))),
    )

  admin
    .command('check')
    .option(...json)
    .option('--evidence', 'also read every attachment and verify its hash')
    .option('--log', 'also compare every leaf of the logs with what is stored')
    .description('check the integrity of the stored data; exits with 1 if anything is wrong')
    .action(options => withCluster(parts, cluster => check(parts, options, cluster, {})))
  for (const add of GROUPS) add(admin, parts)
  return admin
}

function addKeyCommands(key: Command, parts: AdminParts): void {
  const addOwnerOptions = (command: Command) =>
    command
      .option('--user <name>')
      .option('--service-account <name>')
      .option('--org <org>', 'the organization of the service account')
      .option('--json', 'print JSON')

  addOwnerOptions(key.command('list'))
    .description('list active keys, without their secrets')
    .action(options => run(parts, options, tools => listKeys(options, tools)))
  addOwnerOptions(key.command('revoke'))
    .argument('<key>', 'id or hint, as shown by admin key list')
    .description('revoke a key; a running service rejects it at once')
    .action((key_id: string, options) => run(parts, options, tools => revokeKey(key_id, options, tools)))
}

function addCopyCommands(admin: Command, parts: AdminParts): void {
  admin
    .command('backup')
    .argument('<folder>', 'a new or empty folder')
    .option('--json', 'print JSON')
    .description('back up the database and the evidence at one point in time; the service may keep running')
    .action((folder: string, options) =>
      withCluster(parts, cluster => runBackup(parts, options, cluster, folder)),
    )

  admin
    .command('restore')
    .argument('<folder>', 'a folder written by admin backup')
    .option('--json', 'print JSON')
    .description('load a backup into an empty database and its evidence store, then check the result')
    .action((folder: string, options) =>
      withCluster(parts, async cluster => {
        const { counts, lost } = await withOwner(cluster, owner => runRestore(parts, owner, folder))
        if (!options.json) print(parts, options, counts)
        await check(parts, options, cluster, { lost_logs: lost.json })
        if (!options.json && lost.lines.length > 0) print(parts, options, lost)
      }),
    )
}

function addCellCommands(admin: Command, parts: AdminParts): void {
  admin
    .command('cells')
    .description('several installations behind one proxy')
    .command('proxy')
    .requiredOption('--orgs <file>', 'YAML file that says which cell has which organization, or -')
    .description('print the nginx configuration that sends each request to the cell of its organization')
    .action(async ({ orgs }: { orgs: string }) => {
      // Loaded only here, because they load every operation.
      const { listCellRoutes } = await import('../http/cell-routes.ts')
      const { operations } = await import('../api/operations.ts')
      parts.print(
        writeNginxConfiguration(parseCells(readInput(parts, orgs)), listCellRoutes(operations)).trimEnd(),
      )
    })
}

interface OwnerOptions {
  user?: string
  serviceAccount?: string
  org?: string
}

interface KeyOptions extends OwnerOptions {
  description: string
}

async function apply(set_up: string, admin: Admin): Promise<Output> {
  await applySetUp(admin, parseSetUp(set_up))
  return formatChanges(admin)
}

async function createUser(
  name: string,
  options: { email: string; org: string[] },
  admin: Admin,
): Promise<Output> {
  if (!new RegExp(USER_NAME).test(name))
    throw new AdminProblem(`Invalid user name ${name}: it must match ${USER_NAME}`)
  if (!/^[^@\s]+@[^@\s]+$/.test(options.email))
    throw new AdminProblem(`${options.email} is not an email address`)
  if (await findUser(admin.tx, name)) throw new AdminProblem(`The user ${name} already exists`)
  const user_id = await ensureUser(admin, { name, email: options.email, personal_org: true })
  for (const membership of options.org) {
    const [role = '', org = ''] = membership.split('@')
    const found = new RegExp(ORG_NAME).test(org) ? await findOrg(admin.tx, org) : undefined
    if (!found)
      throw new AdminProblem(
        `There is no organization ${org}; use --org ROLE@ORG with an existing organization`,
      )
    await ensureMember(admin, { org_id: found.org_id, org, user_id, user: name, role })
  }
  const secret = await mintKey(admin, await requireUserOwner(admin, name), 'created with the user')
  return formatKey(name, secret)
}

async function createKey(options: KeyOptions, admin: Admin): Promise<Output> {
  const owner = await requireOwner(options, admin)
  return formatKey(owner.name, await mintKey(admin, owner, options.description))
}

async function importKeyFromInput(parts: AdminParts, options: KeyOptions, admin: Admin): Promise<Output> {
  const owner = await requireOwner(options, admin)
  await importKey(admin, owner, readInput(parts, '-').trim(), options.description)
  return formatChanges(admin)
}

async function listKeys(options: OwnerOptions, admin: Admin): Promise<Output> {
  const keys = await listOwnerKeys(admin, await requireOwner(options, admin))
  const lines = keys.map(({ id, hint, description }) => `${id}  ${hint}  ${description}`)
  return { lines: lines.length > 0 ? lines : ['no keys'], json: keys }
}

async function revokeKey(id_or_hint: string, options: OwnerOptions, admin: Admin): Promise<Output> {
  const revoked = await revokeOwnerKey(admin, await requireOwner(options, admin), id_or_hint)
  return { lines: admin.changes, json: { changes: admin.changes, revoked } }
}

function requireOwner(options: OwnerOptions, admin: Admin): Promise<KeyOwner> {
  const { user, serviceAccount, org } = options
  if (user !== undefined && serviceAccount === undefined) return requireUserOwner(admin, user)
  if (user === undefined && serviceAccount !== undefined && org !== undefined) {
    return requireAccountOwner(admin, org, serviceAccount)
  }
  throw new AdminProblem('Specify the owner of the key: --user NAME, or --service-account NAME --org ORG')
}

function formatKey(name: string, key: string): Output {
  return { lines: [`API key of ${name} (shown only once):`, key], json: { name, key } }
}

async function runMigrations(cluster: Cluster): Promise<Output> {
  const applied = await migrateCluster(cluster)
  const lines = applied.length > 0 ? applied.map(name => `applied ${name}`) : ['the schema is current']
  return { lines, json: { applied } }
}

async function runBackup(
  parts: AdminParts,
  options: { json?: boolean },
  cluster: Cluster,
  folder: string,
): Promise<void> {
  const { manifest, detached } = await withOwner(cluster, async owner => ({
    manifest: await createBackup(folder, await openBackupParts(parts, owner)),
    detached: (await listEventTables(owner)).detached.map(({ name }) => name),
  }))
  const { lost } = manifest.evidence
  const lines = [
    ...formatCounts(manifest),
    ...(detached.length > 0 ? [`without the detached months of the event log: ${detached.join(', ')}`] : []),
    ...lost.map(object => `LOST    evidence ${object}`),
  ]
  print(parts, options, { lines, json: { ok: lost.length === 0, ...manifest } })
  if (lost.length > 0) parts.setExitCode(1)
}

async function runRestore(parts: AdminParts, owner: pg.Client, folder: string) {
  const backup_parts = await openBackupParts(parts, owner)
  const manifest = await restore(folder, backup_parts)
  const lost = await describeLostLogs(owner, backup_parts.evidence.anchors)
  return { counts: { lines: formatCounts(manifest), json: manifest }, lost }
}

async function openBackupParts(parts: AdminParts, owner: pg.Client): Promise<BackupParts> {
  const { secrets, openEvidence } = parts
  // Not the time of Waybill: the schema may be older than that, or not there yet.
  const now = await readDatabaseTime(owner)
  return { owner, evidence: await openEvidence(), newName: secrets.createPassword, now }
}

function formatCounts({ made_at, tables, evidence }: Manifest): string[] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    `backup of ${made_at}: ${rows} rows in ${tables.length} tables`,
    `${evidence.objects} evidence files, ${evidence.bytes} bytes`,
  ]
}

async function check(
  parts: AdminParts,
  options: { json?: boolean; evidence?: boolean; log?: boolean },
  cluster: Cluster,
  more_json: Record<string, unknown>,
): Promise<void> {
  const owner = await cluster.connectOwner()
  try {
    const verify = options.evidence === true
    const checks = [
      ...(await checkIntegrity(owner, { log: options.log === true })),
      ...(await checkAttachments(owner, { ...parts.locateEvidence(), open: parts.openEvidence }, { verify })),
    ]
    const ok = checks.every(result => result.ok)
    const lines = checks.flatMap(({ check: name, ok: isOk, found }) => [
      `${isOk ? 'ok     ' : 'BROKEN '} ${name}`,
      ...found.map(item => `          ${item}`),
    ])
    print(parts, options, { lines, json: { ok, checks, ...more_json } })
    if (!ok) parts.setExitCode(1)
  } finally {
    await owner.end()
  }
}

function readInput(parts: AdminParts, file: string): string {
  try {
    return file === '-' ? parts.readStdin() : readFileSync(file, 'utf8')
  } catch {
    throw new AdminProblem(`${file === '-' ? 'Standard input' : file} cannot be read`)
  }
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value]
}
