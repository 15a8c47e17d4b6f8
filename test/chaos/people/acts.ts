// The store of a round, and what people did there.
import type { NetworkType } from '../../../rules/social/networks/network-types.ts'
import type { Slot } from '../../kit/bookings/booking.ts'
import type { Business } from '../../kit/business.ts'
import type { Shop } from '../../kit/shop.ts'
import type { Post } from '../../kit/social/engagement.ts'
import type { Acknowledged, Posted, Said, Talked } from '../history.ts'
import type { Client } from './client.ts'

/** An account on each network, and the files of posts. */
export type Desk = { connections: Record<NetworkType, string>; picture: string; video: string }

export type Store = {
  shop: Shop
  account: string
  scarce: { id: string; variant_id: string }
  plenty: { id: string; variant_id: string }
  service_id: string
  provider_id: string
  slots: Slot[]
  code: { id: string; code: string }
  /** A paid audience, with a code for its first payments. */
  club: { audience_id: string; prices: { monthly: string; once: string }; code: string }
  /** The path of the receiver, and the recipients of the graph's emails. */
  hook: { path: string }
  post: { workflow_id: string; path: string }
  letter: { workflow_id: string; to: string }
  /** Mailboxes and templates of campaigns, and the domain of their recipients. */
  post_office: { mailbox_ids: string[]; template_ids: string[]; domain: string }
  /** An agent of a business of its own, with a bot. `control`: of the chat service. */
  agent: { business: Business; id: string; bot: { number: string; token: string; channel: string; control: string } }
  /** Published posts of accounts on two networks. */
  posts: Post[]
  desk: Desk
}

/** `user`: of the chat service. `takeover`: the words of the operator, once they were accepted. */
export type Talk = { chat_id: string | null; user: number | null; said: Said[]; takeover: string | null }

/** A campaign that was launched: what its imports enrolled, and when it was paused. */
export type Launched = { id: string; steps: number; enrolled: number; paused: { from: number; to: number }[] }

export type Round = {
  client: Client
  store: Store
  acknowledged: Acknowledged[]
  /** Contacts that an operator merged, with the memberships of the source. */
  merges: { source: string; target: string; members: string[] }[]
  campaigns: Launched[]
  chats: Talk[]
  talks: Talked[]
  posts: Posted[]
  /** Answers that break what the API promises. */
  surprises: string[]
}
