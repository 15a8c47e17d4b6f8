// What a network accepts and reports: the shape of the list of capabilities, which validation applies, and builders of
// its rows.
import { fileBytesMax } from '../../content/media.ts'
// Backwards: a network counts the characters of captions in its own way.
import type { CaptionUnit } from '../../publications/text-lengths.ts'

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
export type MetricName = (typeof metricNames)[number]
export type MetricValues = Record<MetricName, number | null>

/** Both included. */
export type Range = { min: number; max: number }

/** What one file of a kind may be. Null: no limit. */
export type FileRule = {
  kind: MediaKind
  mime_types: readonly string[]
  bytes_max: number
  /** Width through height, as displayed. */
  aspect: Range | null
  /** Pixels. */
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
  /** Code points. Null: publications have no title. */
  title: { max: number; required: boolean } | null
  fields: readonly (typeof contentFields)[number][]
  placements: readonly Placement[]
  /** The files of a publication fit one of the rows. */
  media: readonly MediaRule[]
  /** Images that the network takes as they are; of others, it gets a JPEG. */
  images: { mime_types: readonly string[]; bytes_max: number; side_max: number | null } | null
  comments: boolean
  reply: { max: number; unit: CaptionUnit }
  metrics: readonly MetricName[]
  posts_per_day: number | null
}

export const MiB = 1024 * 1024
export const GiB = 1024 * MiB

/** Images of which a JPEG can be made (activities/content/images.ts). */
const convertible = ['image/jpeg', 'image/png', 'image/webp', 'image/avif', 'image/tiff']
/** Limits of a file without any. */
export const unlimited = { aspect: null, width: null, short_side: null, long_side: null, duration_s: null }
/** One that is too large for the network is sent as a smaller JPEG. */
export const imageFile = (limits: Partial<FileRule> = {}): FileRule => ({
  ...unlimited,
  kind: 'image',
  mime_types: convertible,
  bytes_max: fileBytesMax,
  ...limits,
})
/** `seconds`: shortest and longest duration. */
export const videoFile = (bytes_max: number, seconds: [number, number], limits: Partial<FileRule> = {}): FileRule => ({
  ...{
    ...unlimited,
    kind: 'video',
    mime_types: ['video/mp4', 'video/quicktime'],
    bytes_max,
    duration_s: { min: seconds[0], max: seconds[1] },
  },
  ...limits,
})
/** `min`, `max`: number of files. */
export const mediaRow = (placement: Placement | null, min: number, max: number, ...files: FileRule[]): MediaRule => ({
  placement,
  min,
  max,
  files,
})

export const captionLimits = (
  max: number,
  unit: CaptionUnit = 'characters',
  more: Partial<Capability['caption']> = {},
): Capability['caption'] => ({
  ...{ max, unit, required: false, hashtags_max: null, mentions_max: null, links_max: null },
  ...more,
})

/** The frame of videos of networks b and e. */
export const videoFrame = { aspect: { min: 0.01, max: 10 }, width: { min: 1, max: 1_920 } }
