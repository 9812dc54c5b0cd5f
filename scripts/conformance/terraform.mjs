// `npm run conformance -- terraform`: the acceptance tests of the unmodified Terraform provider, and projects.
// Each project is created, planned, changed, planned, imported and destroyed; every plan must be empty. Needs Go,
// `terraform` and TERRAFORM_PROVIDER, a checkout of the provider; without them it is skipped.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare } from '../run/prepare.mjs'
import { ORG, setLongestLifetime, startService } from '../run/service.mjs'

const PROJECTS = join(import.meta.dirname, 'terraform')
const source = process.env.TERRAFORM_PROVIDER
if (source === undefined) {
  console.log('Skipped: TERRAFORM_PROVIDER is not set. It names a checkout of the provider.')
  process.exit(0)
}
for (const program of ['go', 'terraform']) {
  if (spawnSync(program, ['version']).status === 0) continue
  console.log(`Skipped: there is no ${program} on PATH.`)
  process.exit(0)
}

prepare()
const folder = mkdtempSync(join(tmpdir(), 'waybill-terraform-'))
let service
try {
  service = await startService(join(folder, 'data'))
  const env = buildEnvironment(service)
  const tests = runAcceptanceTests(env)
  installProvider(env)
  const failures = []
  for (const name of readdirSync(PROJECTS).filter(each => !usesMissing(each))) {
    await limitLifetime(name)
    failures.push(...runProject(name, env))
  }
  for (const failure of failures) console.log(failure)
  console.log(`acceptance tests: ${tests.passed} passed, ${tests.failed} failed`)
  console.log(`projects: ${failures.length === 0 ? 'every plan was empty' : `${failures.length} failures`}`)
  process.exitCode = tests.failed + failures.length === 0 && tests.passed > 0 ? 0 : 1
} finally {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
}

function buildEnvironment({ url, key }) {
  const { PATH, HOME, GOPROXY, GOFLAGS, GOTOOLCHAIN } = process.env
  const go = Object.entries({ GOPROXY, GOFLAGS, GOTOOLCHAIN }).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(go),
    ...{ PATH, HOME, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1', TF_ACC: '1' },
    ...{ KOSLI_API_TOKEN: key, KOSLI_ORG: ORG, KOSLI_API_URL: url },
    TF_CLI_CONFIG_FILE: join(folder, 'terraform.rc'),
  }
}

function runAcceptanceTests(env) {
  const { TF_CLI_CONFIG_FILE, ...plain } = env
  const args = ['test', './internal/provider/...', '-run=TestAcc', '-timeout=30m', '-json']
  const { stdout, stderr } = spawnSync('go', args, {
    cwd: source,
    env: plain,
    encoding: 'utf8',
    maxBuffer: 1024 ** 3,
  })
  const events = stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  const ended = events.filter(({ Test }) => Test !== undefined && !Test.includes('/'))
  const failed = ended.filter(({ Action }) => Action === 'fail').map(({ Test }) => Test)
  for (const name of failed) {
    const said = events.filter(({ Test, Output }) => Test === name && Output)
    console.log(`${name}\n${said.map(({ Output }) => `  ${Output}`).join('')}`)
  }
  if (ended.length === 0) console.log(stderr)
  return { passed: ended.filter(({ Action }) => Action === 'pass').length, failed: failed.length }
}

function installProvider(env) {
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  run('go', ['build', '-o', join(programs, 'terraform-provider-kosli'), '.'], { cwd: source, env })
  writeFileSync(
    env.TF_CLI_CONFIG_FILE,
    `provider_installation {\n  dev_overrides { "kosli-dev/kosli" = "${programs}" }\n  direct {}\n}\n`,
  )
}

/** Projects of resources that this version of the provider does not have. */
function usesMissing(name) {
  const [, needed] = /^# needs: (\S+)$/m.exec(readFileSync(join(PROJECTS, name), 'utf8')) ?? []
  const has = needed === undefined || readdirSync(join(source, 'internal/provider')).includes(needed)
  if (!has) console.log(`${name}: left out, because the provider has no ${needed}`)
  return !has
}

/** Without a limit, unless the project names one. */
async function limitLifetime(name) {
  const [, days] =
    /^# longest lifetime of keys: (\d+) days$/m.exec(readFileSync(join(PROJECTS, name), 'utf8')) ?? []
  await setLongestLifetime(service, days === undefined ? null : Number(days))
}

function runProject(name, env) {
  const cwd = join(folder, name)
  mkdirSync(cwd)
  cpSync(join(PROJECTS, name), join(cwd, 'main.tf'))
  const failures = []
  const terraform = (phase, step, args, expected = 0) => {
    const { status, stdout, stderr } = spawnSync('terraform', args, {
      cwd,
      env: { ...env, TF_VAR_phase: phase },
      encoding: 'utf8',
    })
    const ok = status === expected
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}: ${phase}, ${step}`)
    if (!ok) failures.push(`${name}: ${phase}, ${step}\n${stdout}${stderr}`)
    return stdout
  }
  const apply = phase => terraform(phase, 'apply', ['apply', '-auto-approve', '-no-color'])
  const plan = (phase, step) => terraform(phase, step, ['plan', '-detailed-exitcode', '-no-color'])
  apply('first')
  plan('first', 'plan')
  apply('second')
  plan('second', 'plan')
  for (const [, address, id] of readFileSync(join(cwd, 'main.tf'), 'utf8').matchAll(
    /^# import: (\S+) (\S+)$/gm,
  )) {
    terraform('second', `forget ${address}`, ['state', 'rm', address])
    terraform('second', `import ${address}`, ['import', '-no-color', address, id])
  }
  plan('second', 'plan after the import')
  terraform('second', 'destroy', ['destroy', '-auto-approve', '-no-color'])
  return failures
}

function run(program, args, options) {
  const { status, stdout, stderr } = spawnSync(program, args, { ...options, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}
