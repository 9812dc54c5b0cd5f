// The memory cost of a 10 MiB attachment: the peak of the service process while several are uploaded one after the
// other, minus its memory before.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { print, printTitle } from './report.ts'

const MIB = 1024 * 1024
const UPLOAD_BYTES = 10 * MIB
const UPLOADS = 10
const SETTLE_MS = 3_000

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: 'uploads', description: '' })
  await service.put(`/trails/${ORG}/uploads`, { name: 't' })
  // A first small upload loads the code that later ones need.
  await upload(service, 1_000)
  await sleep(SETTLE_MS)
  const before = readResidentMib(service.pid, 'VmRSS')
  for (let i = 0; i < UPLOADS; i++) await upload(service, UPLOAD_BYTES)
  const after_one = readResidentMib(service.pid, 'VmHWM')
  printTitle(`Uploads: ${UPLOADS} attachments of ${UPLOAD_BYTES / MIB} MiB`)
  print({
    name: 'peak above idle, one at a time',
    value: after_one - before,
    unit: 'MiB',
    aim: { at_most: 32 },
  })
} finally {
  await service.stop()
}

async function upload({ port, key }: BenchService, bytes: number): Promise<void> {
  const form = new FormData()
  form.append('data_json', JSON.stringify({ attestation_name: 'scan', is_compliant: true }))
  form.append('attachment_file', new Blob([randomBytes(bytes)]), 'evidence.bin')
  const response = await fetch(
    `http://127.0.0.1:${port}/api/v2/attestations/${ORG}/uploads/trail/t/generic`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    },
  )
  if (response.status !== 201)
    throw new Error(`Unexpected response: ${response.status} ${await response.text()}`)
}

function readResidentMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024
}
