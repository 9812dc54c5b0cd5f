// The cost of the command line on a build machine, in processor time: its start against bare Node, and attesting a
// large file against `sha256sum`. Also the memory for a folder with many files, against one with few.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeScratch, ORG, ROOT, startService } from './bench-service.ts'
import { print, printNote, printRatio, printTitle } from './report.ts'

const ROUNDS = 15
const FILE_ROUNDS = 5
const FILE_BYTES = 100_000_000
const [FEW_FILES, MANY_FILES] = [500, 50_000]
const FILES_PER_FOLDER = 500
/** Node collects garbage early, so that the peak is memory in use and not garbage. */
const LITTLE_GARBAGE = ['--max-semi-space-size=1']
const PROGRAM = join(ROOT, 'cli', 'dist', 'main.js')
const WAYBILL = `"${process.execPath}" "${PROGRAM}"`

const scratch = await makeScratch()
try {
  measureStart()
  await measureFile()
  measureFolder()
} finally {
  await rm(scratch, { recursive: true, force: true })
}

function measureStart(): void {
  const lines = {
    node: `"${process.execPath}" -e 0`,
    version: `${WAYBILL} version`,
    help: `${WAYBILL} --help`,
    ci: `${WAYBILL} config show`,
  }
  const times = measureInTurns(lines, ROUNDS, {})
  printTitle(`Start of the command line, processor time, ${ROUNDS} rounds`)
  printRatio('waybill version / node -e 0', times.version, times.node, { at_most: 1.5 })
  printRatio('waybill --help / node -e 0', times.help, times.node, { at_most: 1.5 })
  printRatio('waybill config show / node -e 0', times.ci, times.node)
}

/** The request alone is measured with a given fingerprint. */
async function measureFile(): Promise<void> {
  const file = join(scratch, 'large.bin')
  writeFileSync(file, Buffer.alloc(FILE_BYTES, 'waybill'))
  printTitle(`A file of ${FILE_BYTES / 1e6} MB, processor time, ${FILE_ROUNDS} rounds`)
  if (spawnSync('sha256sum', ['--version']).status !== 0) return printNote('sha256sum is not installed')
  const service = await startService()
  try {
    await service.put(`/flows/${ORG}`, { name: 'large', description: '' })
    await service.put(`/trails/${ORG}/large`, { name: 't' })
    const env = {
      WAYBILL_HOST: `http://127.0.0.1:${service.port}`,
      WAYBILL_ORG: ORG,
      WAYBILL_API_TOKEN: service.key,
      WAYBILL_SPOOL_DIR: join(scratch, 'spool'),
      // As in a pipeline, which knows its commit without git.
      GITLAB_CI: 'true',
      CI_COMMIT_SHA: 'a'.repeat(40),
      CI_JOB_URL: 'https://ci.example/acme/backend/-/jobs/1',
      CI_PROJECT_URL: 'https://ci.example/acme/backend',
    }
    const attest = `${WAYBILL} attest artifact ${file} --name large --flow large --trail t`
    const times = measureInTurns(
      { sum: `sha256sum ${file}`, request: `${attest} --fingerprint ${'b'.repeat(64)}`, whole: attest },
      FILE_ROUNDS,
      env,
    )
    const baseline = times.sum.map((sum, round) => sum + (times.request[round] ?? Number.NaN))
    printRatio('attest artifact / (sha256sum + the request alone)', times.whole, baseline, { at_most: 1.2 })
  } finally {
    await service.stop()
  }
}

function measureFolder(): void {
  printTitle(`A folder of ${MANY_FILES} files, peak of memory`)
  const [few, many] = [FEW_FILES, MANY_FILES].map(count => {
    const folder = join(scratch, `files-${count}`)
    fillFolder(folder, count)
    return ['fingerprint', folder, '--artifact-type', 'dir-v2']
  }) as [string[], string[]]
  print({
    name: `waybill fingerprint, ${MANY_FILES} files`,
    value: readPeakMib(many),
    unit: 'MiB',
    aim: { at_most: 150 },
  })
  const kept = readPeakMib(many, LITTLE_GARBAGE) / readPeakMib(few, LITTLE_GARBAGE)
  print({
    name: `${MANY_FILES} files / ${FEW_FILES} files, little garbage`,
    value: kept,
    aim: { at_most: 1.5 },
  })
}

function fillFolder(folder: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const below = join(folder, `folder-${Math.floor(index / FILES_PER_FOLDER)}`)
    if (index % FILES_PER_FOLDER === 0) mkdirSync(below, { recursive: true })
    writeFileSync(join(below, `file-${index}.txt`), `content ${index}\n`)
  }
}

/** Alternating, so that other load on the machine affects all of them alike. In seconds. */
function measureInTurns<N extends string>(
  lines: Record<N, string>,
  rounds: number,
  env: NodeJS.ProcessEnv,
): Record<N, number[]> {
  const names = Object.keys(lines) as N[]
  const times = Object.fromEntries(names.map(name => [name, [] as number[]])) as Record<N, number[]>
  for (const name of names) measureCpu(lines[name], env)
  for (let round = 0; round < rounds; round++)
    for (const name of names) times[name].push(measureCpu(lines[name], env))
  return times
}

/** The user and system time of a command and all of its threads, as bash counts them. */
function measureCpu(line: string, env: NodeJS.ProcessEnv): number {
  const errors = join(scratch, 'errors.txt')
  const script = `TIMEFORMAT='cpu %3U %3S'; time { ${line} > /dev/null 2> "$ERRORS"; }`
  const { status, stderr } = spawnSync('bash', ['-c', script], {
    encoding: 'utf8',
    cwd: scratch,
    env: { PATH: process.env.PATH, HOME: scratch, ERRORS: errors, ...env },
  })
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/m.exec(stderr) ?? []
  if (status !== 0 || user === undefined || system === undefined)
    throw new Error(`${line} failed: ${stderr}${readFileSync(errors, 'utf8')}`)
  return Number(user) + Number(system)
}

function readPeakMib(args: readonly string[], node_options: readonly string[] = []): number {
  const hook = join(scratch, 'peak.cjs')
  writeFileSync(hook, "process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS))\n")
  const { stderr } = spawnSync(process.execPath, [...node_options, '--require', hook, PROGRAM, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: scratch },
  })
  return Number(/^peak (\d+)$/m.exec(stderr)?.[1] ?? Number.NaN) / 1024
}
