// `node scripts/conformance/build-kubernetes.mjs FOLDER`: builds kube-apiserver and etcd from the Go module proxy into a folder, for
// `npm run conformance -- kubernetes`. Needs Go, a gigabyte of disk for its caches, and half an hour of one core.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const KUBERNETES = '1.36.3'
const ETCD = '3.7.3'

const [target = 'kubernetes-programs'] = process.argv.slice(2)
const folder = resolve(target)
mkdirSync(folder, { recursive: true })

build('kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver', writeKubernetesModule())
build('etcd', '.', writeEtcdModule())
console.log(`Built. Run KUBERNETES_PROGRAMS=${folder} npm run conformance -- kubernetes`)

/**
 * The parts of Kubernetes that are separate modules are required without a version there, so a module that names the
 * versions is needed around it.
 */
function writeKubernetesModule() {
  const { go, parts } = readKubernetesModule()
  const minor = KUBERNETES.replace(/^1\./, '0.')
  return makeModule('kubernetes', {
    'go.mod': [
      'module waybill.example/kubernetes',
      `go ${go}`,
      `require k8s.io/kubernetes v${KUBERNETES}`,
      ...parts.map(part => `replace ${part} => ${part} v${minor}`),
    ],
    'program.go': [
      '//go:build program',
      'package program',
      'import _ "k8s.io/kubernetes/cmd/kube-apiserver"',
    ],
  })
}

function readKubernetesModule() {
  const text = run('go', ['mod', 'download', '-json', `k8s.io/kubernetes@v${KUBERNETES}`], folder)
  const { GoMod: file } = JSON.parse(text)
  const { Go: go, Require: required } = JSON.parse(run('go', ['mod', 'edit', '-json', file], folder))
  const parts = required.filter(({ Version: version }) => version === 'v0.0.0').map(({ Path: path }) => path)
  return { go, parts }
}

function writeEtcdModule() {
  const server = 'go.etcd.io/etcd/server/v3'
  return makeModule('etcd', {
    'go.mod': ['module waybill.example/etcd', 'go 1.26', `require ${server} v${ETCD}`],
    'main.go': [
      'package main',
      `import ("os"; "${server}/etcdmain")`,
      'func main() { etcdmain.Main(os.Args) }',
    ],
  })
}

function makeModule(name, files) {
  const module = join(folder, `${name}-module`)
  rmSync(module, { recursive: true, force: true })
  mkdirSync(module)
  for (const [file, lines] of Object.entries(files))
    writeFileSync(join(module, file), `${lines.join('\n')}\n`)
  run('go', ['mod', 'tidy'], module)
  return module
}

function build(name, what, module) {
  console.log(`Building ${name}…`)
  run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', join(folder, name), what], module)
}

/** With one core and the lowest priority: this takes long, and others use the machine too. */
function run(program, args, cwd) {
  const env = { ...process.env, GOFLAGS: '-p=1 -mod=mod -buildvcs=false', GOMAXPROCS: '1', CGO_ENABLED: '0' }
  const { status, stdout, error } = spawnSync('nice', ['-n', '19', program, ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error ?? status}`)
  return stdout
}
