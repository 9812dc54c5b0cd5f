// Parses and writes PostgreSQL protocol messages for the test pooler.

/** Calls back for each complete message: its type and its body. */
export function makeFrameReader(onMessage: (type: string, body: Buffer) => void): (data: Buffer) => void {
  let pending: Buffer = Buffer.alloc(0)
  return data => {
    pending = pending.length === 0 ? data : Buffer.concat([pending, data])
    while (pending.length >= 5) {
      const length = 1 + pending.readInt32BE(1)
      if (pending.length < length) return
      const message = pending.subarray(0, length)
      pending = pending.subarray(length)
      onMessage(String.fromCharCode(message[0] ?? 0), message.subarray(5))
    }
  }
}

export function writeMessage(type: string, body: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(5)
  head.write(type, 'latin1')
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** Text up to the next zero byte, and where it ends. */
export function readName(body: Buffer, at: number): [name: string, after: number] {
  const end = body.indexOf(0, at)
  return [body.toString('utf8', at, end), end + 1]
}
