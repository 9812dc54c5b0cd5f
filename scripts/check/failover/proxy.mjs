// A proxy in front of the two database servers, like HAProxy, PgBouncer or a moved address: it passes connections to
// the primary, and can be switched to another one.
import net from 'node:net'

export async function startProxy(first_port) {
  let port = first_port
  let is_silent = false
  const pairs = new Set()
  const server = net.createServer(client => {
    const upstream = net.connect({ host: '127.0.0.1', port })
    const pair = [client, upstream]
    pairs.add(pair)
    for (const [from, to] of [pair, [upstream, client]]) {
      // A lost machine neither responds nor closes connections.
      from.on('data', data => {
        if (!is_silent) to.write(data)
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        if (is_silent) return
        to.destroy()
        pairs.delete(pair)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  return {
    port: server.address().port,
    /** Nothing passes anymore, and neither side is notified. */
    silence: () => {
      is_silent = true
    },
    /** Ends all connections to the old server. New ones go to the other. */
    switchTo: new_port => {
      port = new_port
      is_silent = false
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      pairs.clear()
    },
    stop: () => {
      for (const pair of pairs) for (const socket of pair) socket.destroy()
      server.close()
    },
  }
}
