// GET /log/{org}/tiles/{epoch}/…: the log as static files of C2SP tlog-tiles, for third-party mirrors and monitors.
import { Readable } from 'node:stream'
import { formatEntries, formatNote, parseTilePath, TILE_WIDTH, type Tile } from '@waybill/transparency-log'
import { Type } from 'typebox'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../lib/errors.ts'
import { formatStoredLeaf } from '../../log/check-leaf.ts'
import { findStoredCheckpoint } from '../../log/checkpoint-store.ts'
import { chooseCheckpoint } from '../../log/cosigned.ts'
import { listLeaves, readTileHashes } from '../../log/tree-store.ts'
import { Binary, type Deps, Download, defineOperation } from '../operation.ts'
import { OrgName } from '../shared/fields.ts'
import { about, Closed } from '../shared/wire.ts'

const HASH_BYTES = 32
const MAX_EPOCH = 2 ** 31 - 1
/** Go's `x/mod/sumdb/tlog` also names the height of the tile, which is 8 here. */
const WITH_HEIGHT = /^tile\/8\/(\d{1,2}\/.+)$/

export const getLogTile = defineOperation(
  {
    id: 'getLogTile',
    method: 'GET',
    path: '/log/{org}/tiles/{epoch}/{file+}',
    tag: 'Log',
    summary: 'Read the log as tiles',
    description:
      'The files of C2SP `tlog-tiles`: `checkpoint`, `tile/<level>/<number>` and `tile/entries/<number>`, partial ones with `.p/<width>`. A full tile never changes, and may be cached.',
    access: 'reader',
    visitors: 'public_log',
    audit: 'none: reads',
    params: Closed('LogTilePath', {
      org: OrgName,
      epoch: Type.Integer({ minimum: 1, maximum: MAX_EPOCH, ...about('Number of the log', 1) }),
      file: Type.String(about('Path of the file below the log', 'tile/0/000')),
    }),
    returns: Binary,
    download: ['application/octet-stream', 'text/plain'],
    fails: [400, 403, 404, 503],
    example: { params: { epoch: '1', file: 'checkpoint' } },
  },
  async ({ org, params }, deps) => {
    const { epoch, file } = params
    if (file === 'checkpoint') return readCheckpoint(deps, org.org_id, epoch)
    const tile = parseTilePath(file) ?? parseTilePath(file.replace(WITH_HEIGHT, 'tile/$1'))
    const content = tile && (await readTile(deps.db, org.org_id, epoch, tile))
    if (!content) throw notFound(`Log ${epoch} of organization '${org.name}' has no file '${file}'`)
    const is_full = tile.width === TILE_WIDTH
    return new Download('tile', Readable.from([content]), content.length, 'application/octet-stream', is_full)
  },
)

async function readCheckpoint(
  { db, logs, log_policy }: Deps,
  org_id: string,
  epoch: number,
): Promise<Download> {
  const newest = await logs.sign(org_id)
  // For a log closed by a loss of data, the last stored checkpoint remains.
  const stored =
    newest.epoch === epoch
      ? undefined
      : await db.withTransaction({ org_id }, tx => findStoredCheckpoint(tx, org_id, epoch))
  if (newest.epoch !== epoch && !stored) throw notFound(`There is no checkpoint of log ${epoch}`)
  const text = stored?.note ?? formatNote((await chooseCheckpoint(db, log_policy, org_id, newest)).note)
  return new Download('checkpoint', Readable.from([text]), Buffer.byteLength(text), 'text/plain')
}

async function readTile(
  db: Database,
  org_id: string,
  epoch: number,
  tile: Tile,
): Promise<Buffer | undefined> {
  const { level, number, width } = tile
  const first = number * TILE_WIDTH
  if (!Number.isSafeInteger(first)) return undefined
  if (level === 'entries') {
    const rows = await listLeaves(db, org_id, { epoch, from: first, limit: width })
    return rows.length < width
      ? undefined
      : formatEntries(rows.map(row => Buffer.from(formatStoredLeaf(row))))
  }
  const [hashes] = await readTileHashes(db, org_id, epoch, [{ level, first, width }])
  return hashes?.length === width * HASH_BYTES ? hashes : undefined
}
