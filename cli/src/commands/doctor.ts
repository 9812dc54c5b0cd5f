// Finds out why the program does not work: one line per check, with the fix, and the exit code of the worst
// problem.
import { formatTable } from '../print/table.ts'
import { defineCommand } from '../program/command.ts'
import { EXIT_CODES, type Exit } from '../program/exit-codes.ts'
import { type Check, runChecks } from './doctor-checks.ts'

/** The first of these that any check returned becomes the exit code. */
const WORST_FIRST: readonly Exit[] = ['unreachable', 'not_allowed', 'usage', 'spooled']

export const doctorCommands = [
  defineCommand({
    words: ['doctor'],
    summary: 'check address, network, TLS, clock, key, role, versions, proxy and spool',
    details: 'Prints one line for each check. The exit code is that of the worst problem.',
    args: [],
    flags: {},
    needs: 'service',
    operations: ['getMeta', 'listOrganizations', 'getOrganization'],
    examples: ['doctor', 'doctor --output json'],
    run: async ({ context }) => {
      const checks = await runChecks(context)
      await context.output.show({
        json: checks.map(({ name, exit, text, hint }) => ({
          name,
          ok: exit === 'done',
          text,
          hint: hint ?? null,
          exit_code: EXIT_CODES[exit],
        })),
        names: checks.flatMap(({ name, exit }) => (exit === 'done' ? [] : [name])),
        text: formatTable(
          checks.map(({ name, exit, text, hint }) => [
            exit === 'done' ? 'ok' : 'problem',
            name,
            hint === undefined ? text : `${text}. ${hint}`,
          ]),
        ),
      })
      return findWorst(checks)
    },
  }),
]

function findWorst(checks: readonly Check[]): Exit {
  return WORST_FIRST.find(exit => checks.some(check => check.exit === exit)) ?? 'done'
}
