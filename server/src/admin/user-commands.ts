// The commands of `waybill admin user` for existing users.
import type { Command } from 'commander'
import { toEpoch, toEpochOrNull } from '../api/shared/wire.ts'
import type { Admin } from './actor.ts'
import { deactivateUser, listUsers, reactivateUser } from './deactivate.ts'
import { showMailStop } from './mail-stop.ts'
import { type AdminParts, formatChanges, type Output, run } from './run.ts'

export function addUserCommands(user: Command, parts: AdminParts): void {
  user
    .command('list')
    .option('--json', 'print JSON')
    .description('list all users and whether they are deactivated')
    .action(options => run(parts, options, list))
  user
    .command('deactivate')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description('block a user everywhere; running services reject them at once')
    .action((name: string, options) => run(parts, options, admin => deactivate(name, admin)))
  user
    .command('mail')
    .argument('<address>')
    .option('--allow', 'accept mail again, if its reader asks for it and has lost the link')
    .option('--json', 'print JSON')
    .description('show whether the reader of an address has stopped all mail of organizations')
    .action(async (address: string, { allow = false, ...options }) => {
      const sealer = await parts.openSealer()
      await run(parts, options, admin => showMailStop(admin, sealer, address, { allow }))
    })
  user
    .command('reactivate')
    .argument('<name>')
    .option('--json', 'print JSON')
    .description('restore access for a user, with the memberships and keys they had')
    .action((name: string, options) =>
      run(parts, options, async admin => {
        await reactivateUser(admin, name)
        return formatChanges(admin)
      }),
    )
}

async function deactivate(name: string, admin: Admin): Promise<Output> {
  const { last_admin_of } = await deactivateUser(admin, name)
  const { lines } = formatChanges(admin)
  const warnings = last_admin_of.map(
    org => `WARNING ${name} is the only admin of ${org}; make someone else an admin`,
  )
  return { lines: [...lines, ...warnings], json: { changes: admin.changes, last_admin_of } }
}

async function list(admin: Admin): Promise<Output> {
  const users = await listUsers(admin)
  const lines = users.map(({ name, email, deactivated_at }) => {
    const state = deactivated_at === null ? 'active' : `deactivated ${deactivated_at.toISOString()}`
    return `${name}  ${email ?? '-'}  ${state}`
  })
  const json = users.map(({ created_at, deactivated_at, ...user }) => ({
    ...user,
    created_at: toEpoch(created_at),
    deactivated_at: toEpochOrNull(deactivated_at),
  }))
  return { lines: lines.length > 0 ? lines : ['no users'], json }
}
