// The steps of a publication's workflow: those on our own rows, and reads of the network, which may repeat.
import { unixNow } from '../../adapters/clock.ts'
import { log } from '../../adapters/log.ts'
import { config } from '../../config.ts'
import { recordLink, recordRead, type Sought, soughtOf } from '../../entities/publications/proofs.ts'
import { publicationStep } from '../../entities/publications/publication-steps.ts'
import { isSuccess } from '../../rules/http-verdicts.ts'
import type { PublicationStep } from '../../rules/publications/publications.ts'
import { networks } from '../../rules/social/networks/networks.ts'
import type { Account, FoundPost, RevealSubject, Seen } from '../../rules/social/networks/publisher.ts'
import type { SocialRequest } from '../../rules/social/networks/request.ts'
import { accessTokenOf, NoToken } from '../connections/token-requests.ts'
import { statement, transaction } from '../kit/database.ts'
import { answerFor } from './parts.ts'

const readLimitMs = 10_000

export const applyPublication = (id: string): Promise<PublicationStep> =>
  transaction((em) => {
    const { aheadS, lateMaxS, proofS, graphVersion } = config.social
    const settings = {
      ahead_ms: aheadS * 1000,
      late_max_s: lateMaxS,
      proof_ms: proofS.map((seconds) => seconds * 1000),
      version: graphVersion,
    }
    return publicationStep(em, id, settings, unixNow())
  })

/** The network has refused this version of the token: another one is got, or the connection needs its owner. */
export async function refreshSocialToken(connectionId: string, version: number): Promise<void> {
  await accessTokenOf(connectionId, version).catch((error: unknown) => {
    if (!(error instanceof NoToken)) throw error
  })
}

/** The body of an answer of 2xx; undefined: the network could not be read. */
async function bodyOf({ connection }: Sought, request: SocialRequest): Promise<unknown> {
  try {
    const { status, body } = await answerFor(connection, request, readLimitMs)
    return isSuccess(status) ? body : undefined
  } catch (error) {
    log.info({ err: { message: (error as Error).message } }, 'network not read')
    return undefined
  }
}

const accountOf = ({ connection: { provider_account_id: account, username = null } }: Sought): Account => ({
  ...{ account, username, version: config.social.graphVersion },
})

/** Own posts with the text of the reveal. */
async function alikeOf(sought: Sought, subject: RevealSubject): Promise<FoundPost[]> {
  const { listing, alike, proof, seen } = networks[sought.reveal.type].publisher
  if (listing && alike)
    return alike(await bodyOf(sought, listing(accountOf(sought), sought.window)), subject, sought.window) ?? []
  const found = seen(await bodyOf(sought, proof(subject, accountOf(sought), sought.window)), subject, sought.window)
  return found?.shown ? (found.post ? [found.post] : []) : (found?.alike ?? [])
}

/**
 * Looks at the network for a post whose reveal is not proved. Never sends. `proofs`: the reads before this one. Where
 * the activity is repeated because its result was lost, the read was counted: as another one it would end the search
 * early.
 */
export async function findSocialPost(revealId: string, proofs?: number): Promise<void> {
  const sought = await statement((em) => soughtOf(em, revealId))
  if (!sought?.reveal.subject || (proofs !== undefined && sought.reveal.proofs !== proofs)) return
  const { reveal, window } = sought
  const subject = sought.reveal.subject
  const publisher = networks[reveal.type].publisher
  const body = await bodyOf(sought, publisher.proof(subject, accountOf(sought), window))
  const seen: Seen | undefined = body === undefined ? undefined : publisher.seen(body, subject, window)
  const alike = seen?.shown && !seen.post ? await alikeOf(sought, subject) : []
  await transaction((em) => recordRead(em, { seen, alike }, sought))
}

/** Made of the post's id, or read; null if the read says nothing. */
async function permalinkOf(sought: Sought, post: string): Promise<string | null> {
  const { permalink } = networks[sought.reveal.type].publisher
  const account = accountOf(sought)
  return permalink.kind === 'made'
    ? permalink.of(post, account.username)
    : permalink.in(await bodyOf(sought, permalink.request(post, account)))
}

/**
 * Reads the permalink of a published post, and looks for its id where no answer had it. `links`: the reads before this
 * one, as `proofs` above.
 */
export async function linkSocialPost(revealId: string, links?: number): Promise<void> {
  const sought = await statement((em) => soughtOf(em, revealId))
  if (!sought?.reveal.subject || (links !== undefined && sought.reveal.links !== links)) return
  const { publication } = sought
  const post = publication.provider_post_id ?? null
  const alike = post === null ? await alikeOf(sought, sought.reveal.subject) : []
  const permalink = post === null ? null : await permalinkOf(sought, post)
  await transaction((em) => recordLink(em, sought, { alike, post, permalink }))
}
