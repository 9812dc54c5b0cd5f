// The README's first five minutes as a script: every `sh` block in one shell, and its expected output. Only the port
// and the pasted key differ, and each pause lasts until its event has happened. Further calls follow that do not fit
// into the README, because the tests of poolers, fleets, cells and releases use this script as a typical user's
// session.
import { spawn } from 'node:child_process'
import { expect } from 'vitest'
import { root } from '../../scripts/run/prepare.mjs'
import { readCommands } from './page-commands.ts'
import { PATIENCE_MS } from './patience.ts'
import { collectOutput, type Finished, waitForEnd } from './service.ts'

const PASTE = "export API_KEY='paste the key here'"

/** Waits for the environment to become compliant or for the delivery, instead of a number of seconds. */
const PAUSES = `
ask() { curl -sS -H "Authorization: Bearer $API_KEY" "$API/$1"; }
sleep() {
  for _ in $(seq ${PATIENCE_MS / 100}); do
    case "$1" in
      1) ask environments/demo-org/prod | grep '"state":true' > /dev/null && return ;;
      2) ask notification-deliveries/demo-org | grep '"status":"delivered"' > /dev/null && return ;;
    esac
    command sleep 0.1
  done
}
`

/** A custom rule, a mistake, comparisons, an export, a gate, a tried policy, and a message. */
const MORE_CALLS = `
call -X POST "$API/custom-attestation-types/demo-org" -H 'Content-Type: application/json' \\
  -d '{"name": "coverage", "evaluator": {"content_type": "jq", "rules": [".lines >= 80"]}}'
call -X POST "$TRAIL/custom" -F 'data_json={"attestation_name": "coverage", "type_name": "coverage",
  "artifact_fingerprint": "'$FINGERPRINT'", "attestation_data": {"lines": 91}}'
sed 's/type: pull_request/type: pull-request/' template.yml > bad-template.yml
call -X PUT "$API/flows/demo-org/template_file" \\
  -F 'data_json={"name": "backend-ci"}' -F 'template_file=@bad-template.yml' | show errors
call -X PUT "$API/environments/demo-org/prod/report/server" -H 'Content-Type: application/json' -d '{"artifacts": [
  {"digests": {"backend.bin": "'$FINGERPRINT'"}, "creationTimestamp": 1772539200},
  {"digests": {"left-behind.sh": "'$(printf x | sha256sum | cut -c1-64)'"}, "creationTimestamp": 1772539300}]}'
call "$API/env-diff/demo-org?snappish1=prod~1&snappish2=prod" | show snappish2
call "$API/environments/demo-org/prod/compliance" | show 'non_compliant[0].remedies'
call "$API/environments/demo-org/prod/auditlog"
call "$API/asserts/demo-org/fingerprint/$FINGERPRINT?environment_name=prod" | show compliant
sed 's/pen-test/second-review/' policy.yml > stricter.yml
node -p 'JSON.stringify({policy_yaml: require("fs").readFileSync("stricter.yml", "utf8")})' > draft.json
call -X POST "$API/policies/demo-org/production/try" -H 'Content-Type: application/json' -d @draft.json | show summary
call -X PUT "$API/organizations/demo-org/environments_notifications" -H 'Content-Type: application/json' -d '{
  "name": "on call", "type": "env", "environments": ["prod"],
  "triggers": ["ON_NON_COMPLIANT_ENV", "ON_COMPLIANT_ENV"],
  "targets": [{"type": "EMAIL", "emails": ["on-call@example.com"]}]}' | show number
call -X PUT "$API/environments/demo-org/prod/report/server" -H 'Content-Type: application/json' \\
  -d '{"artifacts": [{"digests": {"backend.bin": "'$FINGERPRINT'"}, "creationTimestamp": 1772539200}]}'
sleep 2
call "$API/notification-deliveries/demo-org" | show 'deliveries[0]'
`

export async function runReadme(port: number, key: string): Promise<Finished> {
  const blocks = readCommands('README.md')
  expect(blocks[0]).toContain(`${PASTE}\n`)
  const script = [PAUSES, ...blocks, MORE_CALLS]
    .join('\n')
    .replace(PASTE, `export API_KEY='${key}'`)
    .replaceAll(':8001', `:${port}`)
  return run(script)
}

export function expectReadmeOutput({ code, stdout, stderr }: Finished): void {
  expect(stderr.match(/HTTP \d+/g)).toEqual(
    [
      // Flow, trail, read, artifact, two attestations, read.
      ...['201', '201', '200', '201', '201', '201', '200'],
      // Policy, environment, attach, report, two reads, attest, read, package.
      ...['201', '201', '200', '200', '200', '200', '201', '200', '200'],
      // Type, attest, mistake, report, two reads, CSV, assert, try.
      ...['201', '201', '400', '200', '200', '200', '200', '200', '200'],
      // Notify, report, read the log.
      ...['201', '200', '200'],
    ].map(status => `HTTP ${status}`),
  )
  expect(code).toBe(0)
  expect(stdout).toContain("an attestation of type 'pull_request'")
  expect(stdout).toContain('"COMPLIANT"')
  expect(stdout).toMatch(/evidence\/.*junit\.xml: OK/)
  expect(stdout).toContain("'pull_request'?")

  expect(stdout).toContain("Report a compliant 'pen-test' attestation")
  // Non-compliant, then compliant after the evidence.
  expect(stdout).toMatch(/"OK"false\n[\s\S]*"OK"true\n/)
  expect(stdout).toContain('left-behind.sh')
  expect(stdout).toMatch(/started-compliant|became-compliant/)
  expect(stdout).toContain('"artifacts_that_would_turn_red": 1')
  expect(stdout).toContain('"event_type": "COMPLIANT_ENV"')
  expect(stdout).toContain('"status": "delivered"')
}

async function run(script: string): Promise<Finished> {
  const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = collectOutput(shell)
  const { code } = await waitForEnd(shell)
  return { code, stdout: output.stdout(), stderr: output.stderr() }
}
