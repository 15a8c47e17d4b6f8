// What each network accepts and reports: one table for the list of capabilities and for the validation of content.
import type { NetworkType } from './networks.ts'

/** Of a caption: characters, bytes of UTF-8, or the weights of network d, where a link counts 23 and a wide character 2. */
export const captionUnits = ['characters', 'bytes', 'weighted'] as const
export const placements = ['feed', 'reel', 'story'] as const
export type Placement = (typeof placements)[number]
export const mediaKinds = ['image', 'gif', 'video'] as const
export type MediaKind = (typeof mediaKinds)[number]
/** Fields of the content besides `type`. */
export const contentFields = ['caption', 'placement', 'share_to_feed', 'media_ids', 'title', 'privacy', 'made_for_kids', 'link_url'] as const
export const metricNames = ['views', 'reach', 'likes', 'comments', 'shares', 'saves'] as const

type MediaRule = {
  /** Null: the network has no placements. */
  placement: Placement | null
  kinds: readonly MediaKind[]
  min: number
  max: number
  /** Whether one publication may have several kinds. */
  mixed: boolean
  mime_types: readonly string[]
  /** Of one file. */
  bytes_max: number
}

export type Capability = {
  caption: { max: number; unit: (typeof captionUnits)[number]; required: boolean }
  fields: readonly (typeof contentFields)[number][]
  placements: readonly Placement[]
  media: readonly MediaRule[]
  comments: boolean
  metrics: readonly (typeof metricNames)[number][]
  posts_per_day: number | null
}

const MiB = 1024 * 1024
const images = ['image/jpeg', 'image/png', 'image/webp']
const videos = ['video/mp4', 'video/quicktime']
const video = (placement: Placement | null, gib: number): MediaRule => ({
  ...{ placement, kinds: ['video'], min: 1, max: 1, mixed: false, mime_types: videos, bytes_max: gib * 1024 * MiB },
})

export const capabilities: Readonly<Record<NetworkType, Capability>> = {
  network_a_page: {
    caption: { max: 63_206, unit: 'characters', required: false },
    fields: ['caption', 'placement', 'media_ids', 'link_url'],
    placements: ['feed', 'reel'],
    media: [
      { placement: 'feed', kinds: ['image'], min: 0, max: 10, mixed: false, mime_types: images, bytes_max: 10 * MiB },
      video('feed', 10),
      video('reel', 1),
    ],
    comments: true,
    metrics: ['views', 'reach', 'likes', 'comments', 'shares'],
    posts_per_day: null,
  },
  network_b_business: {
    caption: { max: 2_200, unit: 'characters', required: false },
    fields: ['caption', 'placement', 'share_to_feed', 'media_ids'],
    placements: ['feed', 'reel', 'story'],
    media: [
      { placement: 'feed', kinds: ['image', 'video'], min: 1, max: 10, mixed: true, mime_types: [...images, ...videos], bytes_max: 300 * MiB },
      video('reel', 1),
      { placement: 'story', kinds: ['image', 'video'], min: 1, max: 1, mixed: false, mime_types: [...images, ...videos], bytes_max: 100 * MiB },
    ],
    comments: true,
    metrics: ['views', 'reach', 'likes', 'comments', 'shares', 'saves'],
    posts_per_day: 100,
  },
  network_c_channel: {
    caption: { max: 5_000, unit: 'bytes', required: false },
    fields: ['caption', 'media_ids', 'title', 'privacy', 'made_for_kids'],
    placements: [],
    media: [video(null, 128)],
    comments: true,
    metrics: ['views', 'likes', 'comments'],
    posts_per_day: 100,
  },
  network_d_account: {
    caption: { max: 280, unit: 'weighted', required: false },
    fields: ['caption', 'media_ids'],
    placements: [],
    media: [
      { placement: null, kinds: ['image'], min: 0, max: 4, mixed: false, mime_types: images, bytes_max: 5 * MiB },
      { placement: null, kinds: ['gif'], min: 1, max: 1, mixed: false, mime_types: ['image/gif'], bytes_max: 15 * MiB },
      { ...video(null, 1), bytes_max: 512 * MiB },
    ],
    comments: true,
    metrics: ['views', 'likes', 'comments', 'shares', 'saves'],
    posts_per_day: null,
  },
  network_e_account: {
    caption: { max: 500, unit: 'characters', required: false },
    fields: ['caption', 'media_ids'],
    placements: [],
    media: [{ placement: null, kinds: ['image', 'video'], min: 0, max: 20, mixed: true, mime_types: [...images, ...videos], bytes_max: 1024 * MiB }],
    comments: true,
    metrics: ['views', 'likes', 'comments', 'shares'],
    posts_per_day: 250,
  },
}
