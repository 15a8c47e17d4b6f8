// What a network has to say about publishing: the parts of a publication, the one call that shows it, and the reads
// that prove that it is shown. Pure: requests and answers.
import { cut } from '../../excerpts.ts'
// Backwards: what is published is the content of a publication.
import type { MediaFacts, SocialContent } from '../../publications/content.ts'
import type { PartKind, PartRef, PlannedPart } from '../../publications/parts.ts'
import { textIn } from '../answers.ts'
import type { PublicationError } from '../publication-errors.ts'
import type { SocialRequest } from './request.ts'
import { withoutSecrets } from './texts.ts'

/** `account`: the network's id of the account or page; `version`: of Graph. */
export type Account = { account: string; username: string | null; version: string }
export type Published = Account & { content: SocialContent }

/** A file that a part is made of, in a type that the network takes. `url`: its public address; `bytes`: its size. */
export type PartFile = Pick<MediaFacts, 'kind' | 'mime_type' | 'bytes'> & { url: string }
/** `parts`: refs of the parts before it, in their order. `bytes`: those that the network has. */
export type Making = Published & {
  kind: PartKind
  ref: PartRef
  bytes: number
  file: PartFile | null
  parts: readonly PartRef[]
}

/** `range`: bytes of the file that the request carries, first and last, and how. */
export type PartCall = {
  request: SocialRequest
  range?: { from: number; to: number; wrap(data: Uint8Array): NonNullable<SocialRequest['bytes']> }
}
export type PartAnswer = { status: number; headers: Record<string, string | string[] | undefined>; body: unknown }

/**
 * What an answer of 2xx or 308 says. `lives_s`: the network forgets the part after so many seconds; `wait_s`: how long
 * it needs. `usable`: it may be shown although the network still processes it. Forgotten parts are made again.
 * Undefined: the answer says nothing.
 */
export type PartResult =
  | { state: 'made' | 'ready'; ref: PartRef; bytes?: number; lives_s?: number; wait_s?: number; usable?: true }
  | { state: 'failed'; error: PublicationError }
  | { state: 'forgotten' }

/** The address of an upload comes from an answer, and gets the token: only hosts of the network are believed. */
export const otherHost: PartResult = {
  state: 'failed',
  error: { code: 'network_refused', message: 'The network names an address of another host for the upload.' },
}

/** The network cannot process a file, in its own words and code, if it has any. */
export function mediaRefused(said: unknown, code: unknown = null): PartResult {
  const text = textIn(said, 1_000)
  const [words, provider_code] = [text === null ? null : cut(withoutSecrets(text), 200), textIn(code, 64)]
  const message = `The network cannot process the file.${words === null ? '' : ` ${words}`}`
  return {
    state: 'failed',
    error: { code: 'media_refused', message, ...(provider_code === null ? {} : { provider_code }) },
  }
}

/**
 * What reads look for. `id`: of the container, post or video; `keys`: of the files (network d); `text`: as it was sent.
 * `since`: an earlier call of this publication was put off by the network then, and may have shown it all the same;
 * Unix seconds.
 */
export type RevealSubject = {
  kind: 'container' | 'post' | 'video' | 'reel' | 'tweet'
  id: string | null
  keys?: string[]
  text: string
  privacy?: string
  since?: number
}
/** What another call that shows a post may follow: nothing was shown. */
export const revealAgain = ['token_refused', 'not_ready', 'rate_limited', 'part_expired'] as const
export type RevealAgain = (typeof revealAgain)[number]

/** Unix seconds in which the post can have been made. */
export type Window = { from: number; to: number }
export type FoundPost = { id: string; permalink: string | null }

/**
 * What a read proves. `shown`: `post` is its id, if the answer has it. `alike`: own posts with the same text, which
 * prove nothing by themselves. `hidden`: the network says that it is not shown. Undefined: the answer cannot be read.
 */
export type Seen = { shown: true; post: FoundPost | null } | { shown: false; hidden: boolean; alike: FoundPost[] }

/**
 * Where a post is. `made`: of its id, and with `named` of the account's username. `read`: by a request whose answer has
 * it; null: not yet.
 */
export type Permalink =
  | { kind: 'made'; named: boolean; of(id: string, username: string | null): string }
  | { kind: 'read'; request(id: string, of: Account): SocialRequest; in(body: unknown): string | null }

export type Publisher = {
  /** The network fetches files by their public address; otherwise it gets their bytes. */
  fetches: boolean
  /** The parts of a publication in their order, by the kinds of its files. The last one needs the others. */
  plan(content: SocialContent, kinds: ReadonlyMap<string, MediaFacts['kind']>): PlannedPart[]
  /** The next call that makes a part, or reads how far it is. */
  call(making: Making): PartCall
  /** What the answer to it says, if its status is 2xx or 308. */
  read(making: Making, answer: PartAnswer): PartResult | undefined
  /** What another answer says; undefined: it is a refusal. */
  refused?(making: Making, answer: PartAnswer): PartResult | undefined
  /** The one call that shows the publication. `refs`: of all parts, in their order. */
  reveal(of: Published, refs: readonly PartRef[]): { request: SocialRequest; subject: RevealSubject }
  /** The id of the post in the answer to the reveal; null if it has none. */
  postIn(body: unknown, subject: RevealSubject): string | null
  /** The read that may prove that the post is shown, and what its answer proves. */
  proof(subject: RevealSubject, of: Account, window: Window): SocialRequest
  seen(body: unknown, subject: RevealSubject, window: Window): Seen | undefined
  /** Own posts, where the proof does not tell the post's id. */
  listing?(of: Account, window: Window): SocialRequest
  alike?(body: unknown, subject: RevealSubject, window: Window): FoundPost[] | undefined
  permalink: Permalink
  /**
   * Deletes a part that will not be shown; undefined for a part that the network forgets by itself. Absent: it forgets
   * all of them.
   */
  drop?(kind: PartKind, ref: PartRef, of: Account): SocialRequest | undefined
}
