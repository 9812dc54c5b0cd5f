// The chart: Helm lints and renders it for each values file. The result is compared with its golden file, validated
// against the schemas of Kubernetes and its extensions, and checked against Kubernetes' pod security.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { root } from '../../run/prepare.mjs'
import { writeSchemas } from './kubernetes-schemas.mjs'
import { fail, getBuilt, getProgram, KUBERNETES, makeFolder, run } from './tools.mjs'

export const CHART = 'deploy/helm/waybill'
/** Values that the schema must reject, with its message. */
const REFUSED = [
  [['baseUrl='], 'baseUrl'],
  [['baseUrl=https://a.example', 'settings.WAYBILL_ORGG=x'], 'WAYBILL_ORGG'],
  [['baseUrl=https://a.example', 'settings.WAYBILL_SECRET_KEY=x'], 'WAYBILL_SECRET_KEY'],
  [['baseUrl=https://a.example', 'secrets.WAYBILL_REGION.key=x'], 'WAYBILL_REGION'],
  [['baseUrl=https://a.example', 'secrets.DATABASE_URL=null'], 'DATABASE_URL'],
  [['baseUrl=https://a.example', 'gateway.enabled=true'], 'parentRefs'],
  [['baseUrl=https://a.example', 'replicas=3'], 'replicas'],
]

export function checkChart(isUpdate) {
  const helm = getProgram('helm')
  const kubeconform = getProgram('kubeconform')
  const security = getBuilt('pod-security', join(root, 'scripts/check/deploy/pod-security'), '.')
  const schemas = writeSchemas(makeFolder('schemas'))
  for (const file of listValuesFiles()) {
    const values = join(CHART, 'ci', file)
    const options = ['--kube-version', KUBERNETES, '--values', values]
    run(`helm lint, ${file}`, helm, ['lint', '--strict', '--quiet', CHART, ...options])
    const text = run(`helm template, ${file}`, helm, [
      'template',
      'waybill',
      CHART,
      '--namespace',
      'waybill',
      ...options,
    ])
    compare(file, text, isUpdate)
    const places = [
      '-schema-location',
      `${schemas}/{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json`,
    ]
    const said = run(`kubeconform, ${file}`, kubeconform, ['-strict', '-summary', ...places], { input: text })
    console.log(said.trim())
    run(`pod security restricted, ${file}`, security, [], { input: JSON.stringify(listPods(text)) })
  }
  for (const [values, named] of REFUSED) expectRefused(helm, values, named)
}

export const listValuesFiles = () => readdirSync(join(root, CHART, 'ci')).sort()

/** Without the files that the chart embeds, which have their own tests. */
function compare(file, text, isUpdate) {
  const golden = join(root, 'deploy/helm/goldens', file.replace('-values', ''))
  const short = text
    .replace(/^( +waybill\.json: \|\n)(?: {4}.*\n|\n)+/m, '$1    (deploy/grafana/waybill.json)\n')
    .replace(
      /(kind: PrometheusRule\n(?:.*\n)*?spec:\n)(?: {2}.*\n|\n)+/,
      '$1  # deploy/prometheus/rules.yaml\n',
    )
  if (isUpdate) writeFileSync(golden, short)
  if (!existsSync(golden) || readFileSync(golden, 'utf8') !== short) {
    const { stdout } = spawnSync('diff', ['-u', golden, '-'], { input: short, encoding: 'utf8' })
    fail(`golden of ${file}; if it should change: npm run check -- deploy --update`, stdout)
  }
  console.log(`ok  golden of ${file}`)
}

function listPods(text) {
  return readObjects(text)
    .filter(object => object.spec?.template !== undefined)
    .map(({ metadata, spec }) => ({ metadata, template: spec.template }))
}

/** The objects of a rendered chart. */
export const readObjects = text =>
  parseAllDocuments(text)
    .map(document => document.toJS())
    .filter(object => object !== null)

function expectRefused(helm, values, named) {
  const sets = values.flatMap(value => ['--set', value])
  const ran = spawnSync(helm, ['template', 'waybill', CHART, '--kube-version', KUBERNETES, ...sets], {
    cwd: root,
    encoding: 'utf8',
  })
  const title = `refused: ${values.join(', ')}`
  if (ran.status === 0 || !ran.stderr.includes(named)) fail(title, ran.stderr || 'It was accepted.')
  console.log(`ok  ${title}`)
}
