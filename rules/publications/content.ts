// What a publication says, and of what kind the issues of its validation are.
import { z } from 'zod'
import { anyCase, Id } from '../shapes.ts'
import { type MediaKind, placements } from '../social/networks/capability.ts'
import { NetworkType } from '../social/networks/network-types.ts'

export const privacies = ['public', 'unlisted', 'private'] as const

/** The shape alone: the limits of a network are issues (contentIssues). A field that is null is not sent. */
export const SocialContent = z
  .strictObject({
    type: anyCase(NetworkType).describe('Network and kind of account; that of the connection.'),
    caption: z.string().max(100_000).nullable().default(null).describe('Text of the post.'),
    placement: anyCase(z.enum(placements))
      .nullable()
      .default(null)
      .describe('Where the post appears, on networks with placements; `feed` by default.'),
    share_to_feed: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether a reel is also shown in the feed (network_b_business).'),
    media_ids: z
      .array(Id)
      .max(100)
      .default([])
      .describe('Identifiers of files of the {store}, in the order in which they are shown.'),
    title: z.string().max(1_000).nullable().default(null).describe('Title of a video (network_c_channel).'),
    privacy: anyCase(z.enum(privacies))
      .nullable()
      .default(null)
      .describe('Who can find a video (network_c_channel); `public` by default.'),
    made_for_kids: z
      .boolean()
      .nullable()
      .default(null)
      .describe('Whether a video is made for children (network_c_channel).'),
    link_url: z.string().max(2_048).nullable().default(null).describe('Link that a post shows (network_a_page).'),
  })
  .meta({
    id: 'SocialContent',
    description:
      'What a publication says. GET …/social-connections/capabilities lists the fields and limits of each network.',
  })
export type SocialContent = z.output<typeof SocialContent>

/**
 * Facts of a stored file. `bytes` of the original; width and height in pixels as displayed. Null: not known. `kind`
 * null: no image and no video.
 */
export type MediaFacts = {
  id: string
  kind: MediaKind | null
  mime_type: string
  bytes: number
  width: number | null
  height: number | null
  duration_s: number | null
}

/** Content with an `error` cannot be scheduled. */
export const severities = ['error', 'warning'] as const

/**
 * `pointer`: into a record that has the content as `content`. `limit` and `actual` are set where a limit is exceeded.
 * Warnings do not make content invalid.
 */
export type Issue = {
  pointer: string
  code: string
  detail: string
  severity: (typeof severities)[number]
  limit?: number | undefined
  actual?: number | undefined
}

/** An issue whose severity follows from where it was found. */
export type Finding = Omit<Issue, 'severity'>
