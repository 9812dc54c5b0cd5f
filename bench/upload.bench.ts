// The memory cost of attachments, of 10 MiB and of the largest accepted size: the peak of the service process while
// several are uploaded one after the other, minus its memory before. It must not grow with the file.
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchService, ORG, startService } from './bench-service.ts'
import { print, printTitle } from './report.ts'

const MIB = 1024 * 1024
const SIZES = [
  { bytes: 10 * MIB, uploads: 10 },
  { bytes: 64 * MIB, uploads: 4 },
]
const SETTLE_MS = 3_000

const service = await startService()
try {
  await service.put(`/flows/${ORG}`, { name: 'uploads', description: '' })
  await service.put(`/trails/${ORG}/uploads`, { name: 't' })
  // A first small upload loads the code that later ones need.
  await upload(service, 1_000)
  await sleep(SETTLE_MS)
  for (const { bytes, uploads } of SIZES) {
    forgetPeak(service.pid)
    const before = readResidentMib(service.pid, 'VmRSS')
    for (let i = 0; i < uploads; i++) await upload(service, bytes)
    const peak = readResidentMib(service.pid, 'VmHWM')
    printTitle(`Uploads: ${uploads} attachments of ${bytes / MIB} MiB`)
    print({ name: 'memory of the service before', value: before, unit: 'MiB' })
    print({ name: 'peak above that, one at a time', value: peak - before, unit: 'MiB', aim: { at_most: 32 } })
    await sleep(SETTLE_MS)
  }
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

/** Resets the peak, so that it covers only what follows. */
function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function readResidentMib(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN) / 1024
}
