// What each network accepts and reports: one table for the list of capabilities and for the validation of content.
import { fileBytesMax } from '../content/media.ts'
import type { CaptionUnit } from '../publications/text-lengths.ts'
import type { NetworkType } from './networks.ts'

export const placements = ['feed', 'reel', 'story'] as const
export type Placement = (typeof placements)[number]
export const mediaKinds = ['image', 'gif', 'video'] as const
export type MediaKind = (typeof mediaKinds)[number]
/** Fields of the content besides `type`. */
export const contentFields = [
  'caption',
  'placement',
  'share_to_feed',
  'media_ids',
  'title',
  'privacy',
  'made_for_kids',
  'link_url',
] as const
export const metricNames = ['views', 'reach', 'likes', 'comments', 'shares', 'saves'] as const

/** Both included. */
export type Range = { min: number; max: number }

/** What one file of a kind may be. Null: no limit. */
export type FileRule = {
  kind: MediaKind
  mime_types: readonly string[]
  bytes_max: number
  /** Width through height, as displayed. */
  aspect: Range | null
  /** In pixels. */
  width: Range | null
  short_side: Range | null
  long_side: Range | null
  duration_s: Range | null
}
export type MediaRule = {
  /** Null: the network has no placements. */
  placement: Placement | null
  min: number
  max: number
  files: readonly FileRule[]
}

export type Capability = {
  caption: {
    max: number
    unit: CaptionUnit
    required: boolean
    hashtags_max: number | null
    mentions_max: number | null
    links_max: number | null
  }
  /** In code points. Null: publications have no title. */
  title: { max: number; required: boolean } | null
  fields: readonly (typeof contentFields)[number][]
  placements: readonly Placement[]
  /** The files of a publication fit one of the rows. */
  media: readonly MediaRule[]
  /** Images that the network takes as they are; of others, it gets a JPEG. */
  images: { mime_types: readonly string[]; bytes_max: number; side_max: number | null } | null
  comments: boolean
  reply: { max: number; unit: CaptionUnit }
  metrics: readonly (typeof metricNames)[number][]
  posts_per_day: number | null
}

const MiB = 1024 * 1024
const GiB = 1024 * MiB
const hour = 3_600

/** Images of which a JPEG can be made (activities/content/images.ts). */
const convertible = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/tiff']
const free = { aspect: null, width: null, short_side: null, long_side: null, duration_s: null }
/** One that is too large for the network is sent as a smaller JPEG. */
const image = (limits: Partial<FileRule> = {}): FileRule => ({
  ...free,
  kind: 'image',
  mime_types: convertible,
  bytes_max: fileBytesMax,
  ...limits,
})
const video = (bytes_max: number, seconds: [number, number], limits: Partial<FileRule> = {}): FileRule => ({
  ...{
    ...free,
    kind: 'video',
    mime_types: ['video/mp4', 'video/quicktime'],
    bytes_max,
    duration_s: { min: seconds[0], max: seconds[1] },
  },
  ...limits,
})
const row = (placement: Placement | null, min: number, max: number, ...files: FileRule[]): MediaRule => ({
  placement,
  min,
  max,
  files,
})

const caption = (
  max: number,
  unit: CaptionUnit = 'characters',
  more: Partial<Capability['caption']> = {},
): Capability['caption'] => ({
  ...{ max, unit, required: false, hashtags_max: null, mentions_max: null, links_max: null },
  ...more,
})

/** Of videos of networks b and e. */
const picture = { aspect: { min: 0.01, max: 10 }, width: { min: 1, max: 1_920 } }
/** 4:5 to 1.91:1, as which a picture of 1200 x 628 pixels counts. */
const ofFeed = { aspect: { min: 0.8, max: 1.911 } }

/** Sources: Graph API (page photos, videos, reels), Instagram Platform (IG User Media), YouTube Data API (videos), X API (media best practices), Threads API. */
export const capabilities: Readonly<Record<NetworkType, Capability>> = {
  network_a_page: {
    caption: caption(63_206),
    title: null,
    fields: ['caption', 'placement', 'media_ids', 'link_url'],
    placements: ['feed', 'reel'],
    media: [
      row('feed', 0, 10, image()),
      row('feed', 1, 1, video(10 * GiB, [1, 4 * hour])),
      row(
        'reel',
        1,
        1,
        video(GiB, [3, 90], {
          aspect: { min: 0.55, max: 0.575 },
          short_side: { min: 540, max: 8_192 },
          long_side: { min: 960, max: 8_192 },
        }),
      ),
    ],
    images: { mime_types: ['image/jpeg', 'image/png'], bytes_max: 10 * MiB, side_max: null },
    comments: true,
    reply: { max: 8_000, unit: 'characters' },
    metrics: ['views', 'reach', 'likes', 'comments', 'shares'],
    posts_per_day: null,
  },
  network_b_business: {
    caption: caption(2_200, 'characters', { hashtags_max: 30, mentions_max: 20 }),
    title: null,
    fields: ['caption', 'placement', 'share_to_feed', 'media_ids'],
    placements: ['feed', 'reel', 'story'],
    media: [
      row('feed', 1, 1, image(ofFeed)),
      row('feed', 1, 1, video(300 * MiB, [3, 15 * 60], picture)),
      row('feed', 2, 10, image(ofFeed), video(300 * MiB, [3, 60], picture)),
      row('reel', 1, 1, video(300 * MiB, [3, 15 * 60], picture)),
      row('story', 1, 1, image(), video(100 * MiB, [3, 60], picture)),
    ],
    images: { mime_types: ['image/jpeg'], bytes_max: 8 * MiB, side_max: null },
    comments: true,
    reply: { max: 300, unit: 'characters' },
    metrics: ['views', 'reach', 'likes', 'comments', 'shares', 'saves'],
    posts_per_day: 100,
  },
  network_c_channel: {
    caption: caption(5_000, 'bytes'),
    title: { max: 100, required: true },
    fields: ['caption', 'media_ids', 'title', 'privacy', 'made_for_kids'],
    placements: [],
    media: [row(null, 1, 1, video(256 * GiB, [0.1, 12 * hour]))],
    images: null,
    comments: true,
    reply: { max: 10_000, unit: 'characters' },
    metrics: ['views', 'likes', 'comments'],
    posts_per_day: 100,
  },
  network_d_account: {
    caption: caption(280, 'weighted'),
    title: null,
    fields: ['caption', 'media_ids'],
    placements: [],
    media: [
      row(null, 0, 4, image({ short_side: { min: 4, max: 8_192 } })),
      row(null, 1, 1, {
        ...free,
        kind: 'gif',
        mime_types: ['image/gif'],
        bytes_max: 15 * MiB,
        short_side: { min: 4, max: 1_080 },
        long_side: { min: 4, max: 1_280 },
      }),
      row(
        null,
        1,
        1,
        video(512 * MiB, [0.5, 140], {
          aspect: { min: 1 / 3, max: 3 },
          short_side: { min: 32, max: 1_200 },
          long_side: { min: 32, max: 1_920 },
        }),
      ),
    ],
    images: { mime_types: ['image/jpeg', 'image/png', 'image/webp'], bytes_max: 5 * MiB, side_max: 8_192 },
    comments: true,
    reply: { max: 280, unit: 'weighted' },
    metrics: ['views', 'likes', 'comments', 'shares', 'saves'],
    posts_per_day: null,
  },
  network_e_account: {
    caption: caption(500, 'emoji_bytes', { links_max: 5 }),
    title: null,
    fields: ['caption', 'media_ids'],
    placements: [],
    media: [row(null, 0, 20, image({ aspect: { min: 0.1, max: 10 } }), video(GiB, [0.1, 300], picture))],
    images: { mime_types: ['image/jpeg', 'image/png'], bytes_max: 8 * MiB, side_max: null },
    comments: true,
    reply: { max: 500, unit: 'emoji_bytes' },
    metrics: ['views', 'likes', 'comments', 'shares'],
    posts_per_day: 250,
  },
}

/** Which stored file of an image the network gets. */
export function deliveredVariant(
  type: NetworkType,
  {
    kind,
    mime_type,
    bytes,
    width,
    height,
  }: { kind: MediaKind | null; mime_type: string; bytes: number; width: number | null; height: number | null },
): 'original' | 'jpeg' {
  const { images } = capabilities[type]
  if (kind !== 'image' || !images) return 'original'
  const isSmall = images.side_max === null || Math.max(width ?? 0, height ?? 0) <= images.side_max
  return images.mime_types.includes(mime_type) && bytes <= images.bytes_max && isSmall ? 'original' : 'jpeg'
}
