// Checks the systemd unit, alone and with its drop-in, with systemd itself.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../run/prepare.mjs'
import { fail, run } from './tools.mjs'

/** From 0, closed, to 100, open. */
const MOST_EXPOSURE = 15

export function checkUnit() {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-unit-'))
  try {
    const unit = join(folder, 'waybill.service')
    // The program is not installed here, and systemd looks for it.
    const text = readFileSync(join(root, 'deploy/systemd/waybill.service'), 'utf8')
    writeFileSync(unit, text.replace('/usr/local/bin/waybill', '/bin/true'))
    verify('systemd unit', unit)
    cpSync(join(root, 'deploy/systemd/waybill.service.d'), `${unit}.d`, { recursive: true })
    verify('systemd unit with an external database', unit)
    const args = ['security', '--no-pager', '--offline=true', `--threshold=${MOST_EXPOSURE}`, unit]
    console.log(run('exposure of the systemd unit', 'systemd-analyze', args).trim().split('\n').at(-1))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** It exits with 0 even if it ignored an unknown line. */
function verify(title, unit) {
  const said = run(title, 'sh', ['-c', 'systemd-analyze verify --man=no "$1" 2>&1', 'sh', unit])
  const ours = said.split('\n').filter(line => line.includes('waybill'))
  if (ours.length > 0) fail(title, ours.join('\n'))
}
