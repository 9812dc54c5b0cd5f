// `npm run conformance -- aws`: runs our ECS, Lambda and S3 reporters against moto. That is a fake AWS that checks
// signatures; a new service stores the reports. Needs a Python with `moto[server]`, either MOTO_PYTHON or python3;
// without it, it is skipped. If the existing client is present (KOSLI_BINARY), compares its bucket fingerprints with
// ours. `--record` writes moto's responses for the tests of the command line.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepare, root } from '../run/prepare.mjs'
import { ORG, startService } from '../run/service.mjs'
import { AWS_CASES, COMPARED_BUCKETS } from './aws/cases.mjs'
import { startRecorder } from './aws/recorder.mjs'
import { findMotoPython, startMoto } from './aws/start-moto.mjs'
import { findClientBinary } from './client-binary.mjs'
import { makeChecks } from './reporters/checks.mjs'
import { runProgram, WAYBILL } from './reporters/run-program.mjs'
import { callService, listRunning } from './reporters/stored.mjs'

const FIXTURE = join(root, 'cli', 'test', 'aws-answers.json')

const python = findMotoPython()
if (python === undefined) process.exit(0)
prepare()
const folder = mkdtempSync(join(tmpdir(), 'waybill-aws-'))
const moto = await startMoto(python)
const recorder = await startRecorder(moto.url)
const service = await startService(join(folder, 'data'))
const aws = {
  AWS_ENDPOINT_URL: recorder.url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: moto.key_id,
  AWS_SECRET_ACCESS_KEY: moto.secret,
}
const { check, finish } = makeChecks()
try {
  for (const each of AWS_CASES) checkThat(each.line, await runCase(each))
  checkThat('a wrong secret', await refuseWrongSecret())
  const binary = findClientBinary()
  if (binary !== undefined)
    for (const { bucket, flags } of COMPARED_BUCKETS)
      check(
        `s3 ${bucket} ${flags.join(' ')} as the existing client`,
        await compareBucket(binary, bucket, flags),
      )
  if (process.argv.includes('--record'))
    writeFileSync(FIXTURE, `${JSON.stringify(recorder.takeAnswers(), null, 2)}\n`)
} finally {
  await service.stop()
  await recorder.stop()
  await moto.stop()
  rmSync(folder, { recursive: true, force: true })
}
finish()

/** `problem` describes what is wrong, if anything is. */
function checkThat(title, problem) {
  check(title, problem === undefined, problem)
}

/** Returns a problem, if any. */
async function runCase({ line, environment, type, exit = 0, says, running, is_partial = false }) {
  await callService(service, 'PUT', `/environments/${ORG}`, { name: environment, type, description: '' })
  const ran = await waybill(line.split(' '))
  if (ran.status !== exit) return `exit code ${ran.status}: ${ran.stderr}`
  if (says !== undefined && !ran.stderr.includes(says)) return `does not say "${says}": ${ran.stderr}`
  if (running === undefined) return undefined
  const found = await listRunning(service, environment, describe)
  if (JSON.stringify(found) !== JSON.stringify(running)) return `runs ${JSON.stringify(found)}`
  const { is_partial: stored } = await callService(service, 'GET', `/environments/${ORG}/${environment}`)
  return (stored ?? false) === is_partial ? undefined : `is_partial is ${stored}`
}

async function refuseWrongSecret() {
  const ran = await waybill([
    'snapshot',
    'lambda',
    'functions',
    '--aws-key-id',
    moto.key_id,
    '--aws-secret-key',
    'wrong',
  ])
  return ran.status === 5 ? undefined : `exit code ${ran.status}: ${ran.stderr}`
}

async function compareBucket(binary, bucket, flags) {
  const line = ['snapshot', 's3', 'site', '--bucket', bucket, ...flags, '--dry-run']
  const theirs = await runProgram([binary], [...line, '--org', ORG, '--api-token', 'x'], { folder, env: aws })
  const ours = await waybill(line)
  const [one, other] = [theirs.stdout, ours.stdout].map(text => /"[^"]+":\s*"[0-9a-f]{64}"/.exec(text)?.[0])
  const isEqual = one !== undefined && one.replaceAll(' ', '') === other?.replaceAll(' ', '')
  return isEqual ? undefined : `theirs ${one ?? theirs.stderr}, ours ${other ?? ours.stderr}`
}

function waybill(args) {
  const env = { ...aws, WAYBILL_HOST: service.url, WAYBILL_ORG: ORG, WAYBILL_API_TOKEN: service.key }
  return runProgram(WAYBILL, args, { folder, env })
}

function describe({ name, fingerprint, annotation }) {
  return `${name} ${fingerprint?.slice(0, 8) ?? ''} ${annotation.now}`
}
