// The machine of a CI job: a checkout, the programs that the CI system provides, and a shell for each step.
// `waybill` is the built program; `npm install` only puts it into the path.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CHECKOUT, type Job, type Step } from './interpret.ts'

const PROGRAM = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const CLOCK = fileURLToPath(new URL('./fixed-clock.cjs', import.meta.url))

export interface Machine {
  folder: string
  env: Record<string, string>
  run(job: Job): Promise<Outcome>
}

interface Outcome {
  /** The exit code of the first failed step; 0 if none failed. */
  code: number
  log: string
}

interface Made {
  /** The variables of the job. */
  env: Record<string, string>
  /** Where the CI systems' programs get tokens. */
  tokens_url: string
  now_ms: number
  /** The build output. */
  content: string
  version: string
}

export function makeMachine({ env, tokens_url, now_ms, content, version }: Made): Machine {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-machine-'))
  const [bin, workspace] = [join(folder, 'bin'), join(folder, 'workspace')]
  for (const each of [bin, workspace, join(folder, 'temp')]) mkdirSync(each)
  const write = (path: string, text: string) => {
    writeFileSync(path, text)
    chmodSync(path, 0o755)
  }
  const run = `exec "${process.execPath}" --require "${CLOCK}" "${PROGRAM}" "$@"`
  write(
    join(bin, 'npm'),
    `#!/bin/sh\n[ "$*" = "install --global waybill@${version}" ] || exit 64\n` +
      `printf '%s\\n' '#!/bin/sh' '${run}' > "${bin}/waybill"\nchmod +x "${bin}/waybill"\n`,
  )
  write(
    join(bin, 'circleci'),
    writeTokenProgram(tokens_url, 'run oidc get --claims', 'JSON.parse(rest[0]).aud'),
  )
  write(
    join(bin, 'buildkite-agent'),
    writeTokenProgram(tokens_url, 'oidc request-token --audience', 'rest[0]'),
  )
  write(
    join(workspace, 'build.sh'),
    `#!/bin/sh\nmkdir dist test-results\nprintf '${content}' > dist/app.tgz\n` +
      `echo '<testsuite name="unit" tests="1"><testcase name="adds"/></testsuite>' > test-results/unit.xml\n`,
  )
  write(join(workspace, 'deploy.sh'), '#!/bin/sh\nmkdir deployed && cp dist/app.tgz deployed/\n')
  const all = {
    ...env,
    ...makeFolders(folder),
    PATH: `${bin}:${process.env.PATH}`,
    NOW_MS: String(now_ms),
    // The clock stands still, so nothing may wait for it.
    WAYBILL_MAX_API_RETRIES: '0',
  }
  return { folder: workspace, env: all, run: job => runJob(job, workspace, all) }
}

function makeFolders(folder: string): Record<string, string> {
  const temp = join(folder, 'temp')
  return {
    HOME: folder,
    TMPDIR: temp,
    RUNNER_TEMP: temp,
    AGENT_TEMPDIRECTORY: temp,
    WORKSPACE_TMP: temp,
    GITHUB_ENV: join(temp, 'github-env'),
    GITHUB_STEP_SUMMARY: join(temp, 'summary.md'),
    BASH_ENV: join(temp, 'bash-env'),
  }
}

/** Prints a token for the audience in the arguments; the program's other commands do nothing. */
function writeTokenProgram(tokens_url: string, command: string, audience: string): string {
  const words = JSON.stringify(command.split(' '))
  return `#!${process.execPath}
const words = ${words}
const args = process.argv.slice(2)
if (words.every((word, index) => args[index] === word)) {
  const rest = args.slice(words.length)
  fetch('${tokens_url}/?audience=' + encodeURIComponent(${audience}))
    .then(response => response.json())
    .then(({ value }) => console.log(value))
}
`
}

async function runJob({ steps, env }: Job, cwd: string, machine: Record<string, string>): Promise<Outcome> {
  let [code, log] = [0, '']
  const variables = Object.entries(env).map(([name, value]) => [name, value.replace(CHECKOUT, cwd)])
  for (const step of steps) {
    if (code !== 0 && !step.isAlways) continue
    const ran = await runStep(step, cwd, {
      ...machine,
      ...Object.fromEntries(variables),
      ...readExported(machine.GITHUB_ENV ?? ''),
      ...step.env,
    })
    log += ran.log
    if (code === 0) code = ran.code
  }
  return { code, log }
}

async function runStep(step: Step, cwd: string, env: Record<string, string>): Promise<Outcome> {
  const [program = '', ...args] = step.shell
  const child = spawn(program, [...args, '-c', step.script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = `$ ${step.script.trim()}\n`
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, log }
}

function readExported(file: string): Record<string, string> {
  if (!existsSync(file)) return {}
  const pairs = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)])
  return Object.fromEntries(pairs)
}
