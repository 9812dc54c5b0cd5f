// The admin commands, with the database and the evidence store of the settings.
import type { Command } from 'commander'
import { buildAdminCommand } from './admin/program.ts'
import { openDatabaseClock } from './db/database-clock.ts'
import { joinCluster } from './db/open.ts'
import { makeOwnerDb } from './db/owner.ts'
import { locateEvidence } from './evidence/location.ts'
import { systemClock } from './lib/clock.ts'
import { makeSealer } from './lib/sealer.ts'
import { systemSecrets } from './lib/secrets.ts'
import { readConfig } from './settings/config.ts'
import type { System } from './system.ts'

const DISCOVER_WITHIN_MS = 10_000

export function makeAdminCommand(system: System, version: string): Command {
  const { env, readStdin, writeOut, writeError, setExitCode } = system
  const openEgress = async () => {
    const { buildEgress } = await import('./outbound.ts')
    return buildEgress(readConfig(env), { version, clock: systemClock, log: undefined })
  }
  return buildAdminCommand({
    surroundings: {
      readSettings: () => readConfig(env),
      now: systemClock.now,
      connect: async (host, port) => (await openEgress()).connect(host, port),
      discover: async (provider, callback) => {
        const { makeOidc } = await import('./signin/oidc.ts')
        const oidc = makeOidc(systemClock, await openEgress(), DISCOVER_WITHIN_MS)
        await oidc.buildAuthorizationUrl(provider, callback, oidc.createProof())
      },
    },
    openCluster: () => {
      const log = (line: string) => writeError(`${line}\n`)
      return joinCluster({ ...readConfig(env), createPassword: systemSecrets.createPassword, log })
    },
    openEvidence: async () => {
      const { openEvidence } = await import('./evidence/open.ts')
      // Compared with the dates of files, which are of this machine.
      return openEvidence(
        readConfig(env),
        systemSecrets.createPassword,
        systemClock.now(),
        await openEgress(),
      )
    },
    locateEvidence: () => locateEvidence(readConfig(env)),
    openSealer: async () => {
      const { readOrCreateKey } = await import('./parts.ts')
      const { secret_key, data_dir } = readConfig(env)
      return makeSealer(secret_key ?? (await readOrCreateKey(data_dir)))
    },
    openClock: owner => openDatabaseClock(makeOwnerDb(owner).run, systemClock),
    listAuditSinks: () => readConfig(env).audit_sinks.map(({ name }) => name),
    secrets: systemSecrets,
    print: text => writeOut(`${text}\n`),
    readStdin,
    setExitCode,
  })
}
