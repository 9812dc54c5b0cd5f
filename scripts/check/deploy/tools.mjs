// The programs that read the files of deploy/, at fixed versions. System programs must be installed; Go builds the
// others.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root } from '../../run/prepare.mjs'

const TOOLS = process.env.DEPLOY_TOOLS ?? join(root, '.cache', 'deploy-tools')
export const KUBERNETES = '1.36.3'

const PROGRAMS = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.17.3',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7',
  caddy: 'github.com/caddyserver/caddy/v2/cmd/caddy@v2.10.2',
}
const SOURCES = {
  kubernetes: `k8s.io/kubernetes@v${KUBERNETES}`,
  'gateway-api': 'sigs.k8s.io/gateway-api@v1.3.0',
  'prometheus-operator': 'github.com/prometheus-operator/prometheus-operator@v0.83.0',
  compose: 'github.com/compose-spec/compose-go/v2@v2.9.0',
}

/** Prints each check, and exits with the output of a failing one. */
export function run(title, program, args, options = {}) {
  const ran = spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  if (ran.status !== 0) fail(title, ran.error?.message ?? `${ran.stdout}${ran.stderr}`)
  console.log(`ok  ${title}`)
  return ran.stdout
}

export function fail(title, text) {
  console.error(`FAILED  ${title}\n${text}`)
  process.exit(1)
}

export function getProgram(name) {
  const file = join(TOOLS, name)
  if (!existsSync(file))
    run(`build ${name}`, 'go', ['install', PROGRAMS[name]], { env: { ...process.env, GOBIN: makeFolder() } })
  return file
}

/** `module`: the folder of a module without a published command; `flags`: for the linker. */
export function getBuilt(name, module, what, flags = '') {
  const file = join(TOOLS, name)
  if (!existsSync(file))
    run(`build ${name}`, 'go', [
      'build',
      '-C',
      module,
      '-trimpath',
      '-ldflags',
      flags,
      '-o',
      join(makeFolder(), name),
      what,
    ])
  return file
}

/** The folder with the source of a module. */
export function getSource(name) {
  const text = run(`source of ${name}`, 'go', ['mod', 'download', '-json', SOURCES[name]], {
    cwd: makeFolder(),
  })
  return JSON.parse(text).Dir
}

export function makeFolder(...names) {
  const folder = resolve(TOOLS, ...names)
  mkdirSync(folder, { recursive: true })
  return folder
}
