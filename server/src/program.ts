// The program as a function: serve | work | demo | admin | witness | openapi | log | verify. Prints one line and exits
// non-zero for problems that an operator can fix, and a stack trace for bugs. Each command loads its own code only when it
// runs: loading everything takes longer than most admin commands do.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command, CommanderError } from 'commander'
import { AdminProblem } from './admin/actor.ts'
import { SchemaProblem } from './db/migrate.ts'
import { EvidenceProblem } from './evidence/evidence.ts'
import { packageRoot } from './lib/package-root.ts'
import { readConfig } from './settings/config.ts'
import { SettingProblem } from './settings/setting.ts'
import { writeSettingsHelp } from './settings/write.ts'
import type { System } from './system.ts'
import { addVerifyCommands } from './verify-command.ts'
import { WitnessProblem } from './witness/problem.ts'
import type { WitnessOptions } from './witness/serve-witness.ts'

const version: string = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
const LISTENING = new Set(['listen', 'bind', 'getaddrinfo'])
const ADMIN = 'set up and maintain a Waybill database'

export async function runProgram(system: System): Promise<void> {
  const program = new Command('waybill').version(version).description('a supply-chain compliance service')
  addServiceCommands(program, system)
  addWitnessCommand(program, system)
  addOpenapiCommand(program, system)
  const { env, setExitCode } = system
  addVerifyCommands(program, { env, version, print: text => system.writeOut(`${text}\n`), setExitCode })
  // Its subcommands appear only in its own help.
  program.addCommand(
    system.argv[0] === 'admin' ? await loadAdmin(system) : new Command('admin').description(ADMIN),
  )
  forEachCommand(program, command =>
    command.exitOverride().configureOutput({ writeOut: system.writeOut, writeErr: system.writeError }),
  )
  try {
    await program.parseAsync(system.argv, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError) return system.exit(error.exitCode)
    system.writeError(`${explain(error)}\n`)
    system.exit(1)
  }
}

function forEachCommand(command: Command, use: (command: Command) => void): void {
  use(command)
  for (const each of command.commands) forEachCommand(each, use)
}

function addServiceCommands(program: Command, { env, writeOut, exit }: System): void {
  const print = (text: string) => writeOut(`${text}\n`)
  program
    .command('serve')
    .description('start the service')
    .addHelpText('after', writeSettingsHelp)
    .option('--demo', 'fill an organization with demo data, once')
    .action(async ({ demo = false }: { demo?: boolean }) => {
      const config = readConfig(env)
      const { serve } = await import('./serve.ts')
      exit(await serve(config, version, { print, with_demo: demo }))
    })

  program
    .command('work')
    .description('deliver messages and evaluate again, for processes that only serve')
    .addHelpText('after', writeSettingsHelp)
    .action(async () => {
      const config = readConfig({ ...env, WAYBILL_ROLE: 'work' })
      const { serve } = await import('./serve.ts')
      exit(await serve(config, version, { print, with_demo: false }))
    })

  program
    .command('demo')
    .description('fill an organization with demo data, once')
    .action(async () => {
      const config = readConfig(env)
      const { runDemo } = await import('./demo/show.ts')
      await runDemo(config, version, print)
    })
}

function addWitnessCommand(program: Command, { writeOut, onSignal }: System): void {
  program
    .command('witness')
    .description('cosign the checkpoints of logs that only grow, for an auditor of other installations')
    .requiredOption('--state <folder>', 'its key, and what it has seen')
    .requiredOption('--logs <file>', 'the verifier keys of the logs that it trusts, one on each line')
    .option('--name <name>', 'its name, at the first start, such as witness.example/w1')
    .option('--listen <address>', 'address and port', '127.0.0.1:8002')
    .action(async (options: WitnessOptions) => {
      const { serveWitness } = await import('./witness/serve-witness.ts')
      const { stop } = await serveWitness(options, text => writeOut(`${text}\n`))
      for (const signal of ['SIGTERM', 'SIGINT'] as const) onSignal(signal, () => void stop())
    })
}

function addOpenapiCommand(program: Command, { writeOut }: System): void {
  program
    .command('openapi')
    .description('print the OpenAPI document')
    .action(async () => {
      const [{ buildOpenapi }, { operations }] = await Promise.all([
        import('./http/openapi.ts'),
        import('./api/operations.ts'),
      ])
      const document = buildOpenapi(operations, { version, server_urls: ['/api/v2'] })
      writeOut(`${JSON.stringify(document, null, 2)}\n`)
    })
}

async function loadAdmin(system: System): Promise<Command> {
  const { makeAdminCommand } = await import('./admin-command.ts')
  return makeAdminCommand(system, version)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall = '' } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') return `The disk is full: make room (${error.message})`
  if (code === 'EADDRINUSE')
    return `The port is already in use; set PORT or WAYBILL_METRICS_PORT to another one (${error.message})`
  if (LISTENING.has(syscall)) return `Cannot listen on this address; set HOST and PORT (${error.message})`
  const isOperators = [SettingProblem, SchemaProblem, AdminProblem, EvidenceProblem, WitnessProblem].some(
    kind => error instanceof kind,
  )
  if (isOperators) return error.message
  return error.stack ?? error.message
}
