// What stands before the two database servers, as HAProxy, PgBouncer or a moved address would: it passes connections on to
// the primary, and can be told another one.
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
      // A machine that is gone answers nothing, and takes nothing back.
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
    /** Nothing passes any more, and nobody is told. */
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
