// Interprets a pipeline as its CI system does: which scripts run, in which shell, with which variables, and
// which of them even after a failure. Supports only what the generated files use, and refuses everything
// else.
import { parse } from 'yaml'

export interface Step {
  script: string
  shell: readonly string[]
  env: Record<string, string>
  isAlways: boolean
}

export interface Job {
  env: Record<string, string>
  steps: readonly Step[]
  /** Variables that the system fills with a token, and the token's audience. */
  tokens: Record<string, string>
  /** The files that the system keeps. */
  kept: readonly string[]
}

/** Stands for the folder of the checkout in the variables of a job. */
export const CHECKOUT = '{checkout}'

/** File contents by name. */
export type Files = ReadonlyMap<string, string>

const STRICT = ['bash', '--noprofile', '--norc', '-eo', 'pipefail']
const NO_TOKENS = { tokens: {}, env: {} }

function getFile(files: Files, name: string): string {
  return files.get(name) ?? fail(`there is no file ${name}`)
}

function fail(what: string): never {
  throw new Error(what)
}

const fill = (text: string, pattern: RegExp, values: Record<string, string>): string =>
  text.replaceAll(pattern, (_, name: string) => values[name] ?? fail(`there is no input ${name}`))

export const INTERPRETERS: Record<string, (files: Files) => Job> = {
  github: readGithub,
  gitlab: readGitlab,
  jenkins: readJenkins,
  circleci: readCircleci,
  azure: readAzure,
  bitbucket: readBitbucket,
  buildkite: readBuildkite,
}

interface GithubStep {
  if?: string
  uses?: string
  run?: string
  shell?: string
  env?: Record<string, string>
  with?: Record<string, string>
}

function readGithub(files: Files): Job {
  const workflow = parse(getFile(files, 'github/build.yml')) as {
    permissions: Record<string, string>
    jobs: { build: { steps: GithubStep[] } }
  }
  if (workflow.permissions['id-token'] !== 'write') fail('the job may not ask for a token')
  const { steps } = workflow.jobs.build
  const kept = steps
    .filter(
      ({ uses, if: condition }) => uses?.startsWith('actions/upload-artifact@') && condition === 'always()',
    )
    .flatMap(step => step.with?.path?.trim().split('\n') ?? [])
  const own = steps.filter(({ uses = '' }) => !/^actions\/(checkout|upload-artifact)@/.test(uses))
  return { ...NO_TOKENS, steps: own.flatMap(step => readGithubStep(step, files)), kept }
}

function readGithubStep(step: GithubStep, files: Files): Step[] {
  if (step.uses !== undefined) {
    if (step.uses !== './.github/actions/waybill') fail(`unknown action ${step.uses}`)
    return readAction(getFile(files, 'github/action.yml'), step.with ?? {})
  }
  // Without `shell`, GitHub sets only -e.
  const shell = step.shell === 'bash' ? STRICT : ['bash', '-e']
  return [{ script: step.run ?? '', shell, env: step.env ?? {}, isAlways: step.if === 'always()' }]
}

function readAction(text: string, given: Record<string, string>): Step[] {
  const { inputs, runs } = parse(text) as {
    inputs: Record<string, { required: boolean; default?: string }>
    runs: { using: string; steps: GithubStep[] }
  }
  if (runs.using !== 'composite') fail('the action is not composite')
  for (const [name, { required }] of Object.entries(inputs))
    if (required && given[name] === undefined) fail(`the input ${name} is missing`)
  const defaults = Object.entries(inputs).map(([name, input]) => [name, String(input.default ?? '')])
  const values = { ...Object.fromEntries(defaults), ...given } as Record<string, string>
  return runs.steps.map(({ run = '', shell, env = {} }) => {
    if (shell !== 'bash') fail('a step of an action needs a shell')
    if (run.includes('${{')) fail('an input within a script could become a command')
    const filled = Object.entries(env).map(([name, value]) => [
      name,
      fill(value, /\$\{\{ inputs\.(\w+) \}\}/g, values),
    ])
    return { script: run, shell: STRICT, env: Object.fromEntries(filled), isAlways: false }
  })
}

interface GitlabJob {
  id_tokens: Record<string, { aud: string }>
  variables: Record<string, string>
  before_script: string[]
  script: string[]
  after_script: string[]
  artifacts: { when: string; paths: string[] }
}

function readGitlab(files: Files): Job {
  const { include, build } = parse(getFile(files, 'gitlab/build.yml')) as {
    include: [{ local: string; inputs: Record<string, string> }]
    build: Partial<GitlabJob> & { extends: string }
  }
  if (include[0].local !== 'templates/waybill.yml') fail('the component is not included')
  const [head = '', body = ''] = getFile(files, 'gitlab/component.yml').split('\n---\n')
  const { spec } = parse(head) as { spec: { inputs: Record<string, { default?: string }> } }
  const defaults = Object.entries(spec.inputs).flatMap(([name, input]) =>
    input.default === undefined ? [] : [[name, input.default]],
  )
  const values = { ...Object.fromEntries(defaults), ...include[0].inputs }
  const component = parse(fill(body, /\$\[\[ inputs\.(\w+) \]\]/g, values)) as Record<string, GitlabJob>
  const job = { ...component[build.extends], ...build } as GitlabJob
  const tokens = Object.entries(job.id_tokens).map(([name, { aud }]) => [name, aud])
  return {
    env: placeCheckout(job.variables, '$CI_PROJECT_DIR'),
    tokens: Object.fromEntries(tokens),
    kept: job.artifacts.when === 'always' ? job.artifacts.paths : [],
    steps: [
      runStrictly([...job.before_script, ...job.script]),
      { ...runStrictly(job.after_script), isAlways: true },
    ],
  }
}

const placeCheckout = (variables: Record<string, string>, name: string): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([key, value]) => [key, value.replace(name, CHECKOUT)]))

const runStrictly = (lines: readonly string[]): Step => ({
  script: lines.join('\n'),
  shell: STRICT,
  env: {},
  isAlways: false,
})

/** Reads the relevant lines of a Jenkinsfile: variables, credentials, `sh` and kept files. */
function readJenkins(files: Files): Job {
  const text = getFile(files, 'jenkins/Jenkinsfile')
  const [before = '', after = ''] = text.split(/^ {2}post \{\n {4}always \{$/m)
  const shell = ['sh', '-xe']
  const list = (part: string, isAlways: boolean) =>
    [...part.matchAll(/^ +sh '([^']*)'$/gm)].map(([, script = '']) => ({ script, shell, env: {}, isAlways }))
  const find = (pattern: RegExp) =>
    Object.fromEntries([...before.matchAll(pattern)].map(([, name, value]) => [name, value ?? '']))
  const env = {
    ...find(/^ {4}([A-Z_]+) = '([^']*)'$/gm),
    ...placeCheckout(find(/^ {4}([A-Z_]+) = "([^"]*)"$/gm), `\${WORKSPACE}`),
  }
  const tokens = Object.keys(find(/^ {4}([A-Z_]+) = credentials\('(waybill-id-token)'\)$/gm)).map(name => [
    name,
    `${env.WAYBILL_HOST}/${env.WAYBILL_ORG}`,
  ])
  return {
    env,
    tokens: Object.fromEntries(tokens),
    steps: [...list(before, false), ...list(after, true)],
    kept: [...after.matchAll(/archiveArtifacts artifacts: '([^']*)', allowEmptyArchive: true/g)].flatMap(
      ([, paths = '']) => paths.split(', '),
    ),
  }
}

interface CircleciRun {
  run?: string | { command: string; when?: string }
  store_artifacts?: { path: string }
  [command: string]: unknown
}
type CircleciStep = string | CircleciRun
interface Orb {
  commands: Record<string, { parameters?: Record<string, { default?: string }>; steps: CircleciStep[] }>
}

function readCircleci(files: Files): Job {
  const { jobs, orbs } = parse(getFile(files, 'circleci/build.yml')) as {
    orbs: Record<string, string>
    jobs: { build: { steps: CircleciStep[] } }
  }
  const orb = parse(getFile(files, 'circleci/orb.yml')) as Orb
  if (orbs.waybill === undefined) fail('the orb is not used')
  const steps = jobs.build.steps.flatMap(step => expandOrb(step, orb))
  const kept = steps.flatMap(step => (typeof step === 'string' ? [] : (step.store_artifacts?.path ?? [])))
  const runs = steps.flatMap(step => {
    if (step === 'checkout' || (typeof step === 'object' && step.store_artifacts !== undefined)) return []
    if (typeof step === 'string' || step.run === undefined)
      return fail(`unknown step ${JSON.stringify(step)}`)
    const { command, when } = typeof step.run === 'string' ? { command: step.run, when: undefined } : step.run
    return [{ script: command, shell: ['bash', '-eo', 'pipefail'], env: {}, isAlways: when === 'always' }]
  })
  return { ...NO_TOKENS, steps: runs, kept }
}

function expandOrb(step: CircleciStep, { commands }: Orb): CircleciStep[] {
  const name = typeof step === 'string' ? step : (Object.keys(step)[0] ?? '')
  if (!name.startsWith('waybill/')) return [step]
  const command = commands[name.slice('waybill/'.length)] ?? fail(`the orb has no ${name}`)
  const defaults = Object.entries(command.parameters ?? {}).flatMap(([key, parameter]) =>
    parameter.default === undefined ? [] : [[key, parameter.default]],
  )
  const given = typeof step === 'string' ? {} : (step[name] as Record<string, string>)
  const values = { ...Object.fromEntries(defaults), ...given }
  return JSON.parse(fill(JSON.stringify(command.steps), /<< parameters\.(\w+) >>/g, values)) as CircleciStep[]
}

function readAzure(files: Files): Job {
  const { variables, steps } = parse(getFile(files, 'azure/azure-pipelines.yml')) as {
    variables: Record<string, string>
    steps: { bash: string; env?: Record<string, string>; condition?: string }[]
  }
  return {
    env: placeCheckout(variables, '$(System.DefaultWorkingDirectory)'),
    tokens: {},
    kept: [],
    steps: steps.map(({ bash, env = {}, condition }) => ({
      script: bash,
      // Sets not even -e.
      shell: ['bash', '--noprofile', '--norc'],
      env: Object.fromEntries(
        Object.entries(env).map(([name, value]) => [name, value === '$(System.AccessToken)' ? 'x' : value]),
      ),
      isAlways: condition === 'always()',
    })),
  }
}

function readBitbucket(files: Files): Job {
  const { pipelines } = parse(getFile(files, 'bitbucket/bitbucket-pipelines.yml')) as {
    pipelines: {
      default: [
        {
          step: {
            oidc: { audiences: [string] }
            script: string[]
            'after-script': string[]
            artifacts: string[]
          }
        },
      ]
    }
  }
  const { step } = pipelines.default[0]
  return {
    env: {},
    tokens: { BITBUCKET_STEP_OIDC_TOKEN: step.oidc.audiences[0] },
    steps: [runStrictly(step.script), { ...runStrictly(step['after-script']), isAlways: true }],
    kept: step.artifacts,
  }
}

function readBuildkite(files: Files): Job {
  const { env, steps } = parse(getFile(files, 'buildkite/pipeline.yml')) as {
    env: Record<string, string>
    steps: [{ commands: string[]; artifact_paths: string[] }]
  }
  const { commands, artifact_paths } = steps[0]
  // The upload of a pipeline fills in variables, and leaves one of two dollar signs.
  const script = commands.join('\n').replaceAll('$$', '$')
  const step = { script, shell: ['bash', '-e'], env: {}, isAlways: false }
  return { env, tokens: {}, steps: [step], kept: artifact_paths }
}
