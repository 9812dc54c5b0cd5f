// Stops all mail of organizations to an address, and allows it again: a page for people, and one-click requests of mail
// programs (RFC 8058). The signed link is all that is needed, so requests may come from anywhere, without an account.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../api/operation.ts'
import { readStopToken, STOP_PATH } from '../mail/recipients.ts'
import { allowMail, findStop, stopMail } from '../mail/recipients-store.ts'
import {
  renderMailAllowedPage,
  renderMailStoppedPage,
  renderNoStopLinkPage,
  renderStopMailPage,
} from '../signin/mail-pages.ts'
import type { Site } from '../signin/pages.ts'
import type { Gate } from './dispatch.ts'
import { countRequest } from './rate-limit.ts'
import { MAX_BODY_BYTES, readQuery, sendPage } from './sign-in-request.ts'

const ALLOW_PATH = '/auth/mail/allow'

interface StopParts {
  deps: Pick<Deps, 'db' | 'sealer'>
  gate: Gate
  site: Site
}

export async function addMailStop(server: FastifyInstance, { deps, gate, site }: StopParts): Promise<void> {
  const { db, sealer } = deps
  /** Runs the work for the address of the link. */
  const answer = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: (token: string, address_hash: string) => Promise<string>,
  ) => {
    const token = readQuery(request).get('token') ?? ''
    const address_hash = readStopToken(sealer, token)
    if (address_hash === undefined) return sendPage(reply, 403, renderNoStopLinkPage(site))
    return sendPage(reply, 200, await work(token, address_hash))
  }
  await server.register(async scope => {
    // Mail programs send `List-Unsubscribe=One-Click`, as a form of either type; nothing in the body counts.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, async () => undefined)
    scope.addHook('onRequest', async request => {
      countRequest(gate, { address: request.known.address, traffic: 'sign_in' })
    })
    scope.get(STOP_PATH, (request, reply) =>
      answer(request, reply, async (token, address_hash) => {
        const stopped_at = await db.withTransaction({ key_hash: address_hash }, tx =>
          findStop(tx, address_hash),
        )
        return stopped_at === null
          ? renderStopMailPage(site, STOP_PATH, token)
          : renderMailStoppedPage(site, ALLOW_PATH, token)
      }),
    )
    scope.post(STOP_PATH, (request, reply) =>
      answer(request, reply, async (token, address_hash) => {
        await db.withTransaction({ key_hash: address_hash }, tx =>
          stopMail(tx, address_hash, gate.clock.now()),
        )
        request.log.info({ request_id: request.id }, 'a recipient stopped all mail of organizations')
        return renderMailStoppedPage(site, ALLOW_PATH, token)
      }),
    )
    scope.post(ALLOW_PATH, (request, reply) =>
      answer(request, reply, async (token, address_hash) => {
        await db.withTransaction({ key_hash: address_hash }, tx => allowMail(tx, address_hash))
        return renderMailAllowedPage(site, STOP_PATH, token)
      }),
    )
  })
}
