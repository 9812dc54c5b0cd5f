// The commands of `waybill admin org` that move an organization to another cell. docs/operate/cells.md shows them in order.
import type { Command } from 'commander'
import type pg from 'pg'
import { type Cluster, migrateCluster } from '../db/open.ts'
import { deleteOrgRows } from '../db/org-removal.ts'
import { makeOwnerDb, withOwnerTransaction } from '../db/owner.ts'
import { makeIds } from '../lib/ids.ts'
import { type FreezeTools, freezeOrg, markMoved, requireFrozen, thawOrg } from './freeze.ts'
import { exportOrg, type TransferParts } from './org-export.ts'
import { importOrg, verifyOrg } from './org-import.ts'
import { listKeyHolders } from './org-people-store.ts'
import { type OrgManifest, readTransferKey } from './org-transfer.ts'
import { formatRemovals } from './purge.ts'
import { clearDefaultOrg } from './purge-store.ts'
import { type AdminParts, type Output, print, withCluster, withOwner } from './run.ts'

interface Options {
  json?: boolean
}

type Work = (owner: pg.Client) => Promise<Output>

export function addMoveCommands(org: Command, parts: AdminParts): void {
  const runAs = (options: Options, work: Work) =>
    withCluster(parts, cluster => runAsOwner(parts, options, cluster, work))
  org
    .command('freeze')
    .argument('<name>')
    .option('--reason <text>', 'why, for the event log', 'it is being moved to another cell')
    .option(
      '--moved-to <cell>',
      'after the move: also refuse reads, because another cell has the organization',
    )
    .option('--json', 'print JSON')
    .description('stop all changes of an organization; returns when none can be committed any more')
    .action((name: string, options) => runAs(options, owner => freeze(parts, owner, name, options)))
  org
    .command('thaw')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description('let a frozen organization be changed again')
    .action((name: string, options) =>
      runAs(options, async owner => toOutput(await thawOrg(await makeTools(parts, owner), name))),
    )
  org
    .command('discard')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description("remove this cell's copy of a frozen organization that another cell has")
    .action((name: string, options) => runAs(options, owner => discard(owner, name)))
  addTransferCommands(org, parts, runAs)
}

function addTransferCommands(
  org: Command,
  parts: AdminParts,
  runAs: (options: Options, work: Work) => Promise<void>,
): void {
  const keyFile = ['--key-file <file>', 'the transfer key: a file that only you can read'] as const
  org
    .command('export')
    .argument('<name>')
    .requiredOption('--to <folder>', 'a new or empty folder')
    .requiredOption(...keyFile)
    .option('--json', 'print JSON')
    .description('copy a frozen organization with its evidence, history and keys into a folder')
    .action((name: string, options) => runAs(options, owner => runExport(parts, owner, name, options)))
  org
    .command('import')
    .requiredOption('--from <folder>', 'a folder written by admin org export')
    .requiredOption(...keyFile)
    .option('--json', 'print JSON')
    .description('load an exported organization into this cell; it stays frozen until admin org thaw')
    .action(options => runAs(options, owner => runImport(parts, owner, options)))
  org
    .command('verify')
    .requiredOption('--from <folder>', 'a folder written by admin org export')
    .requiredOption(...keyFile)
    .option('--json', 'print JSON')
    .description('compare the organization in this cell with an export; exits with 1 if anything differs')
    .action(options => runAs(options, owner => runVerify(parts, owner, options)))
}

async function runAsOwner(parts: AdminParts, options: Options, cluster: Cluster, work: Work): Promise<void> {
  await migrateCluster(cluster)
  print(parts, options, await withOwner(cluster, work))
}

async function makeTools({ openClock }: AdminParts, owner: pg.Client): Promise<FreezeTools> {
  const clock = await openClock(owner)
  return { owner, clock, ids: makeIds(clock) }
}

const toOutput = (changes: string[]): Output => ({ lines: changes, json: { changes } })

async function freeze(
  parts: AdminParts,
  owner: pg.Client,
  name: string,
  { reason, movedTo }: { reason: string; movedTo?: string },
): Promise<Output> {
  const tools = await makeTools(parts, owner)
  return toOutput(
    movedTo === undefined ? await freezeOrg(tools, name, reason) : await markMoved(tools, name, movedTo),
  )
}

/** Leaves the evidence to the sweep, as when an organization is purged. */
async function discard(owner: pg.Client, name: string): Promise<Output> {
  const org = await requireFrozen(owner, name)
  const rows = await withOwnerTransaction(owner, async tx => {
    await clearDefaultOrg(tx, org.org_id)
    return deleteOrgRows(owner, org.org_id)
  })
  // Its log continues in the other cell.
  const removed = [{ name: org.name, org_id: org.org_id, rows, last_checkpoint: null }]
  return { lines: formatRemovals(removed), json: { removed } }
}

interface FolderOptions {
  keyFile: string
}

async function runExport(
  parts: AdminParts,
  owner: pg.Client,
  name: string,
  { to, keyFile }: FolderOptions & { to: string },
): Promise<Output> {
  const transfer = await openTransfer(parts, owner, keyFile)
  const manifest = await exportOrg(to, name, transfer)
  const holders = await listKeyHolders(makeOwnerDb(owner), manifest.org.org_id, transfer.now)
  const lines = holders.map(
    ({ name: user, keys }) => `${user} has ${keys} personal keys, which stay in this cell`,
  )
  return {
    lines: [...formatManifest('exported', manifest), ...lines],
    json: { ...manifest, personal_keys: holders },
  }
}

async function runImport(
  parts: AdminParts,
  owner: pg.Client,
  { from, keyFile }: FolderOptions & { from: string },
): Promise<Output> {
  const { manifest, people } = await importOrg(from, await openTransfer(parts, owner, keyFile))
  const created = people.filter(({ is_new }) => is_new).length
  const lines = [
    ...formatManifest('imported', manifest),
    `${people.length - created} people were known here, ${created} are new`,
    `it is frozen: switch the proxy, then use admin org thaw ${manifest.org.name}`,
  ]
  return { lines, json: { ...manifest, people_known: people.length - created, people_created: created } }
}

async function runVerify(
  parts: AdminParts,
  owner: pg.Client,
  { from, keyFile }: FolderOptions & { from: string },
): Promise<Output> {
  const { manifest, differences } = await verifyOrg(from, await openTransfer(parts, owner, keyFile))
  if (differences.length > 0) parts.setExitCode(1)
  const lines = [
    ...formatManifest('compared', manifest),
    ...(differences.length > 0
      ? differences.map(line => `DIFFERS ${line}`)
      : ['all rows and files are the same']),
  ]
  return { lines, json: { ok: differences.length === 0, differences } }
}

async function openTransfer(parts: AdminParts, owner: pg.Client, key_file: string): Promise<TransferParts> {
  const key = await readTransferKey(key_file)
  const { openClock, secrets, openEvidence, openSealer } = parts
  return {
    owner,
    evidence: await openEvidence(),
    sealer: await openSealer(),
    key,
    newName: secrets.createPassword,
    now: (await openClock(owner)).now(),
  }
}

function formatManifest(done: string, { org, tables, people, evidence }: OrgManifest): string[] {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    `${done} organization ${org.name}: ${rows} rows in ${tables.length} tables, ${people.rows} people`,
    `${evidence.objects} evidence files, ${evidence.bytes} bytes`,
  ]
}
