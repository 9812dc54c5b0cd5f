// The program: serve | demo | admin | openapi. One line and a non-zero exit for what an operator can mend; a stack for a bug.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { AdminProblem } from './admin/actor.ts'
import { adminCommand } from './admin/program.ts'
import { operations } from './api/operations.ts'
import { readConfig, SettingProblem } from './config.ts'
import { SchemaProblem } from './db/migrate.ts'
import { joinCluster } from './db/open.ts'
import { runDemo } from './demo/show.ts'
import { EvidenceProblem } from './evidence/evidence.ts'
import { openEvidence } from './evidence/open.ts'
import { openapi } from './http/openapi.ts'
import { systemClock } from './lib/clock.ts'
import { makeIds } from './lib/ids.ts'
import { packageRoot } from './lib/package-root.ts'
import { systemSecrets } from './lib/secrets.ts'
import { egressFrom } from './outbound.ts'
import { serve } from './serve.ts'

const version: string = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
const LISTENING = new Set(['listen', 'bind', 'getaddrinfo'])
const print = (text: string) => void process.stdout.write(`${text}\n`)

const program = new Command('waybill').version(version).description('a supply-chain compliance service')

program
  .command('serve')
  .description('start the service')
  .option('--demo', 'fill an organization with made-up data, once')
  .action(async ({ demo = false }: { demo?: boolean }) => {
    process.exit(await serve(readConfig(process.env), version, { print, with_demo: demo }))
  })

program
  .command('demo')
  .description('fill an organization with made-up data, once')
  .action(() => runDemo(readConfig(process.env), version, print))

program
  .command('openapi')
  .description('print the OpenAPI document')
  .action(() => print(JSON.stringify(openapi(operations, { version, server_urls: ['/api/v2'] }), null, 2)))

program.addCommand(
  adminCommand({
    openCluster: () => {
      const { database_url, data_dir } = readConfig(process.env)
      const log = (line: string) => void process.stderr.write(`${line}\n`)
      return joinCluster({ database_url, data_dir, newPassword: systemSecrets.newPassword, log })
    },
    openEvidence: () => {
      const config = readConfig(process.env)
      const egress = egressFrom(config, { version, clock: systemClock, log: undefined })
      return openEvidence(config, systemSecrets.newPassword, systemClock.now(), egress)
    },
    clock: systemClock,
    ids: makeIds(systemClock),
    secrets: systemSecrets,
    print,
    setExitCode: code => {
      process.exitCode = code
    },
  }),
)

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, syscall = '' } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE') return `The port is in use by another program; set PORT (${error.message})`
  if (LISTENING.has(syscall)) return `Cannot listen there; set HOST and PORT (${error.message})`
  const isOperators = [SettingProblem, SchemaProblem, AdminProblem, EvidenceProblem].some(
    kind => error instanceof kind,
  )
  if (isOperators) return error.message
  return error.stack ?? error.message
}
