// An operator who changes an audit package and seals it in the log again: only what the leaves prove stands against that.
import { createHash } from 'node:crypto'
import { streamSeal } from '../src/api/audit-packages/seal.ts'
import type { Deps } from '../src/api/operation.ts'
import type { IssueRequest } from '../src/api/shared/issued.ts'
import { makeIds } from '../src/lib/ids.ts'
import { makeLog } from '../src/lib/log.ts'
import { makeSealer } from '../src/lib/sealer.ts'
import { makeLogs } from '../src/log/logs.ts'
import { isOfSeal, type PackedFile, recompute } from './altered-package.ts'
import { SECRET_KEY, type TestApp } from './harness.ts'

/** With the seal of a package about `scope`. */
export async function sealAsOperator(
  { db, evidence, clock, sql }: TestApp,
  files: readonly PackedFile[],
  scope: string,
): Promise<PackedFile[]> {
  const ids = makeIds(clock)
  const logs = makeLogs({ db, evidence, sealer: makeSealer(SECRET_KEY), clock, ids, log: makeLog('silent') })
  const [{ org_id } = {}] = await sql("select org_id from orgs where name = 'acme'")
  const unsealed = recompute(files.filter(file => !isOfSeal(file)))
  const read = (name: string) => unsealed.find(file => file.name === name)?.content ?? Buffer.alloc(0)
  const [origin = '', size] = read('log/checkpoint').toString('utf8').split('\n')
  const sha256 = createHash('sha256').update(read('manifest.sha256')).digest('hex')
  const entries = streamSeal(
    { scope, subject: null, from: null, to: null, format: 'package', sha256 },
    {
      request: {
        org: { org_id },
        caller: { name: 'ada' },
        now: clock.now(),
        request_id: 'x',
      } as IssueRequest,
      before: {
        ...(await logs.sign(String(org_id))),
        epoch: Number(origin.split('/').at(-1)),
        size: Number(size),
      },
    },
    { db, ids, logs } as unknown as Deps,
  )
  const seal: PackedFile[] = []
  for await (const { path, content } of entries)
    seal.push({ name: path, content: Buffer.from(String(content)) })
  return [...unsealed, ...seal]
}
