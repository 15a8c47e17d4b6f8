// Updates of chat services: messages of visitors to the bots of channels. Signed by the secret that the webhook was set
// with.
import { timingSafeEqual } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { z } from 'zod'
import { type Receiver, receiverOf, receiveUpdate } from '../../entities/agents/channel-updates.ts'
import { updateOf } from '../../rules/agents/channels.ts'
import { textOfBytes } from '../../rules/input/bytes.ts'
import { losslessJson } from '../../rules/input/numbers.ts'
import { Refusal } from '../../rules/refusal.ts'
import { digest, headerOf } from '../kit/caller.ts'
import { route } from '../kit/route.ts'
import { countingTarget, refuseTarget } from '../limits/failures.ts'

const secretHeader = 'X-Telegram-Bot-Api-Secret-Token'
/** Longer bodies are no updates: a message has 4,096 characters at most. */
const bytesMax = 65_536

const isSecret = (given: string, secret: string): boolean =>
  timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(secret)))

/** The channel of the path whose secret the header has. 401, also where there is no such channel. */
const provedReceiver = (em: EntityManager, id: string, given: string | undefined, ip: string): Promise<Receiver> => {
  refuseTarget(id, ip)
  return countingTarget(
    id,
    ip,
    async (found) => {
      const receiver = await receiverOf(em, id)
      if (receiver) found()
      // An unknown channel takes as long as a wrong secret.
      const isProved = isSecret(given ?? '', receiver?.secret ?? 'none')
      if (!receiver || !isProved)
        throw new Refusal(401, 'unauthorized', `\`${secretHeader}\` is not the secret of a channel with this id.`, {
          headers: { 'WWW-Authenticate': 'Channel-Secret' },
        })
      return receiver
    },
    ({ status }) => status === 401,
  )
}

const jsonIn = (raw: Buffer): unknown => {
  try {
    return raw.length > bytesMax ? null : losslessJson(textOfBytes(raw))
  } catch {
    return null
  }
}

export const channelUpdates = [
  route('POST /v1/webhooks/channels/{id}', {
    operation: 'receiveChannelUpdate',
    request: {
      headers: {
        [secretHeader]: { description: 'The secret with which the webhook of the bot was set.', required: true },
      },
      unparsed: true,
      prove: ({ em, path, headers, ip }) =>
        provedReceiver(em, path.id, headerOf(headers, secretHeader.toLowerCase()), ip),
    },
    may: 'public',
    refuses: ['unauthorized', 'too_many_requests'],
    summary: 'Receive an update of a bot',
    description:
      'For the bot of a `chat_bot` integration. A message of a person in a private chat is written once, however often it is sent, and is answered by the agent that serves the channel. ' +
      'Any other update is accepted and ignored: the service would send it again. 401 `unauthorized` if the secret is not that of the channel, or there is no such channel. Query ' +
      'parameters are ignored.',
    out: z.object({ received: z.literal(true).describe('Always true: the update was taken.') }),
    async run({ em, path, raw, headers, ip, now }) {
      const receiver = await provedReceiver(em, path.id, headerOf(headers, secretHeader.toLowerCase()), ip)
      const update = updateOf(jsonIn(raw))
      if (update) await receiveUpdate(em, receiver, update, now)
      return { received: true as const }
    },
  }),
]
