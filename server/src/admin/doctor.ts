// `admin doctor`: reads the settings and tries everything outside the program that they name, without changing
// anything but a few bytes in the evidence store. `admin check` covers the stored data, `waybill doctor` the
// connection from a client.
import type { Command } from 'commander'
import { describeError } from '../db/clients.ts'
import { inspectDatabase } from '../db/inspect.ts'
import { type Cluster, checkAppRole } from '../db/open.ts'
import {
  checkAddress,
  checkClock,
  checkSchema,
  checkSpace,
  type Finding,
  failed,
  ok,
  warn,
} from './doctor-findings.ts'
import { type AdminParts, print } from './run.ts'
import type { Examined } from './surroundings.ts'

const MAIL_PORTS: Record<string, number> = { 'smtp:': 587, 'smtps:': 465 }

export function addDoctorCommand(admin: Command, parts: AdminParts): void {
  admin
    .command('doctor')
    .option('--json', 'print JSON')
    .description(
      'check settings, database, evidence store, mail and identity providers; exits with 1 if one fails',
    )
    .action(async (options: { json?: boolean }) => {
      const findings = await examine(parts)
      const isOk = findings.every(({ state }) => state !== 'failed')
      const lines = findings.flatMap(({ check, state, text, hint }) => [
        `${state.padEnd(8)} ${check.padEnd(10)} ${text}`,
        ...(hint === null ? [] : [`${' '.repeat(20)}${hint}`]),
      ])
      print(parts, options, { lines, json: { ok: isOk, checks: findings } })
      if (!isOk) parts.setExitCode(1)
    })
}

async function examine(parts: AdminParts): Promise<Finding[]> {
  let config: Examined
  try {
    config = parts.surroundings.readSettings()
  } catch (error) {
    // Nothing else can be tried without settings.
    return [failed('settings', describeError(error), 'docs/operate/settings.md lists the settings.')]
  }
  const { host, base_url, tls, trusted_proxies } = config
  return [
    ok('settings', 'complete and valid'),
    checkAddress({ host, base_url, has_tls: tls !== undefined, trusted_proxies: trusted_proxies.length }),
    ...(await examineDatabase(parts, config)),
    ...(await examineEvidence(parts)),
    await examineMail(parts, config),
    ...(await examineProviders(parts, config)),
  ]
}

async function examineDatabase(parts: AdminParts, config: Examined): Promise<Finding[]> {
  try {
    const cluster = await parts.openCluster()
    try {
      return await examineCluster(cluster, config, parts.surroundings.now)
    } finally {
      await cluster.stop()
    }
  } catch (error) {
    return [failed('database', describeError(error), 'Check DATABASE_URL, the server and the network to it.')]
  }
}

async function examineCluster(cluster: Cluster, config: Examined, now: () => Date): Promise<Finding[]> {
  const client = (await cluster.hasOwner()) ? await cluster.connectOwner() : await cluster.connectListener()
  try {
    const facts = await inspectDatabase(client)
    const found = [
      ok('database', `PostgreSQL ${facts.version}, ${facts.encoding}`),
      checkSchema(facts),
      checkClock(now(), facts.now),
    ]
    return facts.applied === 0 ? found : [...found, await examineRole(cluster, config)]
  } finally {
    await client.end()
  }
}

async function examineRole(cluster: Cluster, config: Examined): Promise<Finding> {
  const db = cluster.connectApp(() => undefined)
  try {
    await checkAppRole(db, { production: true })
    return ok('role', 'bound by row-level security')
  } catch (error) {
    const makeFinding = config.production ? failed : warn
    return makeFinding(
      'role',
      describeError(error),
      'docs/operate/install.md, "External PostgreSQL", has the statements.',
    )
  } finally {
    await db.close()
  }
}

async function examineEvidence(parts: AdminParts): Promise<Finding[]> {
  try {
    const evidence = await parts.openEvidence()
    await evidence.probe()
    const written = ok('evidence', 'can be written')
    return evidence.readSpace === undefined ? [written] : [written, checkSpace(await evidence.readSpace())]
  } catch (error) {
    const hint = 'Check WAYBILL_EVIDENCE_URL or WAYBILL_DATA_DIR, and who may write there.'
    return [failed('evidence', describeError(error), hint)]
  }
}

async function examineMail({ surroundings }: AdminParts, { smtp_url }: Examined): Promise<Finding> {
  if (smtp_url === undefined)
    return warn(
      'mail',
      'mails become files in the data directory',
      'Set WAYBILL_SMTP_URL and WAYBILL_MAIL_FROM.',
    )
  const { hostname, port, protocol } = new URL(smtp_url)
  try {
    const port_or_default = Number(port) || (MAIL_PORTS[protocol] ?? 0)
    const socket = await surroundings.connect(hostname.replace(/^\[|\]$/g, ''), port_or_default)
    socket.destroy()
    return ok('mail', `${hostname} accepts connections`)
  } catch (error) {
    return failed(
      'mail',
      `${hostname}: ${describeError(error)}`,
      'Check WAYBILL_SMTP_URL and the network to it.',
    )
  }
}

async function examineProviders({ surroundings }: AdminParts, config: Examined): Promise<Finding[]> {
  const { oidc_providers: providers, base_url = 'http://127.0.0.1' } = config
  if (providers.length === 0) return [ok('sign-in', 'by mail; there is no identity provider')]
  return Promise.all(
    providers.map(async provider => {
      try {
        const callback = `${base_url}/auth/sso/${encodeURIComponent(provider.id)}/callback`
        await surroundings.discover(provider, callback)
        return ok('sign-in', `${provider.name}: allow the redirect to ${callback}`)
      } catch (error) {
        const hint =
          'Check the issuer, the network to it, and NODE_EXTRA_CA_CERTS for an authority of your own.'
        return failed('sign-in', `${provider.name}: ${describeError(error)}`, hint)
      }
    }),
  )
}
