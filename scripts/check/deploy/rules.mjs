// Checks the alert rules with promtool.
import { run } from './tools.mjs'

export function checkRules() {
  run('alert rules', 'promtool', ['check', 'rules', 'deploy/prometheus/rules.yaml'])
  run('unit tests of the alert rules', 'promtool', ['test', 'rules', 'deploy/prometheus/rules.test.yaml'])
}
