// The program: serve | work | demo | admin | witness | openapi | log | verify. Prints one line and exits non-zero for problems that an operator can
// fix, and a stack trace for bugs. Each command loads its own code only when it runs: loading everything takes longer
// than most admin commands do.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { AdminProblem } from './admin/actor.ts'
import { SchemaProblem } from './db/migrate.ts'
import { EvidenceProblem } from './evidence/evidence.ts'
import { packageRoot } from './lib/package-root.ts'
import { readConfig } from './settings/config.ts'
import { SettingProblem } from './settings/setting.ts'
import { writeSettingsHelp } from './settings/write.ts'
import { addVerifyCommands } from './verify-command.ts'
import { WitnessProblem } from './witness/problem.ts'
import type { WitnessOptions } from './witness/serve-witness.ts'

const version: string = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
const LISTENING = new Set(['listen', 'bind', 'getaddrinfo'])
const ADMIN = 'set up and maintain a Waybill database'
const print = (text: string) => void process.stdout.write(`${text}\n`)

const program = new Command('waybill').version(version).description('a supply-chain compliance service')

program
  .command('serve')
  .description('start the service')
  .addHelpText('after', writeSettingsHelp)
  .option('--demo', 'fill an organization with demo data, once')
  .action(async ({ demo = false }: { demo?: boolean }) => {
    const config = readConfig(process.env)
    const { serve } = await import('./serve.ts')
    process.exit(await serve(config, version, { print, with_demo: demo }))
  })

program
  .command('work')
  .description('deliver messages and evaluate again, for processes that only serve')
  .addHelpText('after', writeSettingsHelp)
  .action(async () => {
    const config = readConfig({ ...process.env, WAYBILL_ROLE: 'work' })
    const { serve } = await import('./serve.ts')
    process.exit(await serve(config, version, { print, with_demo: false }))
  })

program
  .command('demo')
  .description('fill an organization with demo data, once')
  .action(async () => {
    const config = readConfig(process.env)
    const { runDemo } = await import('./demo/show.ts')
    await runDemo(config, version, print)
  })

program
  .command('witness')
  .description('cosign the checkpoints of logs that only grow, for an auditor of other installations')
  .requiredOption('--state <folder>', 'its key, and what it has seen')
  .requiredOption('--logs <file>', 'the verifier keys of the logs that it trusts, one on each line')
  .option('--name <name>', 'its name, at the first start, such as witness.example/w1')
  .option('--listen <address>', 'address and port', '127.0.0.1:8002')
  .action(async (options: WitnessOptions) => {
    const { serveWitness } = await import('./witness/serve-witness.ts')
    const { stop } = await serveWitness(options, print)
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop())
  })

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(async () => {
    const [{ buildOpenapi: openapi }, { operations }] = await Promise.all([
      import('./http/openapi.ts'),
      import('./api/operations.ts'),
    ])
    print(JSON.stringify(openapi(operations, { version, server_urls: ['/api/v2'] }), null, 2))
  })

addVerifyCommands(program, {
  env: process.env,
  version,
  print,
  setExitCode: code => {
    process.exitCode = code
  },
})

// Its subcommands appear only in its own help.
program.addCommand(process.argv[2] === 'admin' ? await loadAdmin() : new Command('admin').description(ADMIN))

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}

async function loadAdmin(): Promise<Command> {
  const { makeAdminCommand } = await import('./admin-command.ts')
  return makeAdminCommand(process.env, version, print)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall = '' } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return `The port is already in use; set PORT or WAYBILL_METRICS_PORT to another one (${error.message})`
  if (LISTENING.has(syscall)) return `Cannot listen on this address; set HOST and PORT (${error.message})`
  const isOperators = [SettingProblem, SchemaProblem, AdminProblem, EvidenceProblem, WitnessProblem].some(
    kind => error instanceof kind,
  )
  if (isOperators) return error.message
  return error.stack ?? error.message
}
