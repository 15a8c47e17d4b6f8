// What a publication says, and what the validation of it reports.
import { z } from 'zod'
import { jpegSide, scaledTo } from '../content/media.ts'
import { anyCase, Id } from '../shapes.ts'
import {
  capabilities,
  contentFields,
  deliveredVariant,
  type FileRule,
  type MediaKind,
  type MediaRule,
  placements,
  type Range,
} from '../social/capabilities.ts'
import { NetworkType } from '../social/networks.ts'
import { addressesIn, captionLength, hashtagsIn, mentionsIn } from './text-lengths.ts'

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

/** Facts of a stored file. `bytes` of the original; width and height in pixels as displayed. Null: not known. `kind` null: no image and no video. */
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

/** `pointer`: into a record that has the content as `content`. `limit` and `actual` are set where a limit is exceeded. Warnings do not make content invalid. */
export type Issue = {
  pointer: string
  code: string
  detail: string
  severity: (typeof severities)[number]
  limit?: number | undefined
  actual?: number | undefined
}

/** What the installation can do, besides the content itself. */
export type Delivery = {
  /** False: networks cannot fetch our files, because PUBLIC_URL is an address of this machine. */
  fetchable: boolean
}

const names = { image: 'images', gif: 'GIFs', video: 'videos' } as const
const listed = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')
const isWebAddress = (text: string): boolean => /^https?:\/\/[^\s\\]+$/i.test(text) && URL.canParse(text)
const isEmpty = (text: string | null): boolean => text === null || text.trim() === ''
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** A file as the network gets it. */
function delivered(type: NetworkType, file: MediaFacts): MediaFacts {
  if (deliveredVariant(type, file) === 'original' || file.width === null || file.height === null) return file
  return { ...file, ...scaledTo(jpegSide, { width: file.width, height: file.height }), bytes: 0 }
}

type Found = Omit<Issue, 'severity'>
type Bound = { range: Range | null; value: number | null; code: [low: string, high: string]; what: string }

/** Limits that a file exceeds. */
function fileIssues(pointer: string, type: NetworkType, rule: FileRule, file: MediaFacts): Found[] {
  const { kind, mime_types, bytes_max, aspect, width, short_side, long_side, duration_s } = rule
  if (!mime_types.includes(file.mime_type))
    return [
      {
        pointer,
        code: 'unsupported_type',
        detail: `A file of the type \`${file.mime_type}\` is not accepted: expected ${listed(mime_types)}.`,
      },
    ]
  const sent = delivered(type, file)
  const isUnknown = sent.width === null || sent.height === null || (kind === 'video' && sent.duration_s === null)
  if (isUnknown)
    return [
      {
        pointer,
        code: 'media_unreadable',
        detail: `The file does not say its size${kind === 'video' ? ' and its duration' : ''}: it may be damaged. Upload it again.`,
      },
    ]
  const [w, h] = [sent.width as number, sent.height as number]
  const bounds: Bound[] = [
    {
      range: { min: 0, max: bytes_max },
      value: sent.bytes,
      code: ['file_too_small', 'file_too_large'],
      what: 'The size of the file in bytes',
    },
    {
      range: duration_s,
      value: sent.duration_s,
      code: ['duration_too_short', 'duration_too_long'],
      what: 'The duration in seconds',
    },
    { range: aspect, value: w / h, code: ['unsupported_aspect', 'unsupported_aspect'], what: 'Width through height' },
    { range: width, value: w, code: ['too_narrow', 'too_wide'], what: 'The width in pixels' },
    {
      range: short_side,
      value: Math.min(w, h),
      code: ['too_few_pixels', 'too_many_pixels'],
      what: 'The shorter side in pixels',
    },
    {
      range: long_side,
      value: Math.max(w, h),
      code: ['too_few_pixels', 'too_many_pixels'],
      what: 'The longer side in pixels',
    },
  ]
  return bounds.flatMap(({ range, value, code: [low, high], what }) => {
    if (!range || value === null || (value >= range.min && value <= range.max)) return []
    const [code, limit] = value < range.min ? [low, range.min] : [high, range.max]
    const detail = `${what} must be between ${rounded(range.min)} and ${rounded(range.max)}.`
    return [{ pointer, code, detail, limit: rounded(limit), actual: rounded(value) }]
  })
}

const at = (index: number) => `/content/media_ids/${index}`
const whole = '/content/media_ids'

/** The row of capabilities that a number of files of these kinds fits, or why there is none. */
function rowFor(rows: readonly MediaRule[], kinds: readonly MediaKind[], count: number): MediaRule | Found {
  const used = new Set(kinds)
  const fit = rows.filter(({ files }) => [...used].every((kind) => files.some((rule) => rule.kind === kind)))
  const found = fit.find(({ min, max }) => count >= min && count <= max)
  if (found) return found
  const most = Math.max(0, ...fit.map(({ max }) => max))
  if (count > most && fit.length > 0) {
    const detail = `A publication with ${[...used].map((kind) => names[kind]).join(' and ')} has up to ${most} file${most === 1 ? '' : 's'}.`
    return { pointer: whole, code: 'too_many_files', detail, limit: most, actual: count }
  }
  if (fit.length === 0)
    return { pointer: whole, code: 'mixed_kinds', detail: 'Files of these kinds cannot stand in one publication.' }
  return { pointer: whole, code: 'required', detail: 'Expected a file.' }
}

function mediaIssues(
  type: NetworkType,
  { placement, media_ids }: SocialContent,
  media: readonly MediaFacts[],
): Found[] {
  const { placements, media: all } = capabilities[type]
  const where = placements.length === 0 ? null : (placement ?? 'feed')
  const rows = all.filter((row) => row.placement === where)
  // Another error says that there is no such placement.
  if (rows.length === 0) return []
  const accepted = new Set(rows.flatMap(({ files }) => files.map(({ kind }) => kind)))
  const files = media_ids.map((id) => media.find((one) => one.id === id))
  const issues = files.flatMap((file, index): Found[] => {
    if (!file)
      return [{ pointer: at(index), code: 'not_found', detail: 'There is no file with this id that is ready.' }]
    if (file.kind !== null && accepted.has(file.kind)) return []
    return [
      {
        pointer: at(index),
        code: 'unsupported_kind',
        detail: `Expected ${[...accepted].map((kind) => names[kind]).join(' or ')}.`,
      },
    ]
  })
  if (issues.length > 0) return issues
  const found = files as (MediaFacts & { kind: MediaKind })[]
  const row = rowFor(
    rows,
    found.map(({ kind }) => kind),
    found.length,
  )
  if ('code' in row) return [row]
  return found.flatMap((file, index) =>
    fileIssues(at(index), type, row.files.find(({ kind }) => kind === file.kind) as FileRule, file),
  )
}

function captionIssues(type: NetworkType, { caption }: SocialContent): Found[] {
  const pointer = '/content/caption'
  if (caption === null) return []
  const { max, unit, hashtags_max, mentions_max, links_max } = capabilities[type].caption
  const counted: [code: string, what: string, limit: number | null, actual: number][] = [
    [
      'too_long',
      { characters: 'characters', bytes: 'bytes', weighted: 'weighted characters', emoji_bytes: 'characters' }[unit],
      max,
      captionLength(unit, caption),
    ],
    ['too_many_hashtags', 'hashtags', hashtags_max, hashtagsIn(caption)],
    ['too_many_mentions', 'mentions', mentions_max, mentionsIn(caption)],
    ['too_many_links', 'different links', links_max, addressesIn(caption)],
  ]
  const issues = counted.flatMap(([code, what, limit, actual]): Found[] =>
    limit === null || actual <= limit
      ? []
      : [{ pointer, code, detail: `The caption has ${actual} ${what}; ${limit} are allowed.`, limit, actual }],
  )
  if (type === 'network_c_channel' && /[<>]/.test(caption)) issues.push(angle(pointer))
  if (type === 'network_d_account' && /[\uFFFE\uFEFF\uFFFF]/.test(caption))
    issues.push({
      pointer,
      code: 'unsupported_character',
      detail: 'The caption has a character that the network refuses: U+FEFF, U+FFFE or U+FFFF.',
    })
  return issues
}
const angle = (pointer: string): Found => ({
  pointer,
  code: 'unsupported_character',
  detail: 'The characters `<` and `>` are not allowed.',
})

function titleIssues(type: NetworkType, { title }: SocialContent): Found[] {
  const pointer = '/content/title'
  const limits = capabilities[type].title
  if (!limits) return []
  if (isEmpty(title)) return limits.required ? [{ pointer, code: 'required', detail: 'A video needs a title.' }] : []
  const actual = captionLength('characters', title as string)
  const limit = limits.max
  return [
    ...(actual > limit
      ? [
          {
            pointer,
            code: 'too_long',
            detail: `The title has ${actual} characters; ${limit} are allowed.`,
            limit,
            actual,
          },
        ]
      : []),
    ...(/[<>]/.test(title as string) ? [angle(pointer)] : []),
  ]
}

function linkIssues({ link_url, media_ids, placement }: SocialContent): Found[] {
  const pointer = '/content/link_url'
  if (link_url === null) return []
  if (media_ids.length > 0 || (placement !== null && placement !== 'feed'))
    return [{ pointer, code: 'unsupported_field', detail: 'Only a publication without files shows a link.' }]
  return isWebAddress(link_url)
    ? []
    : [{ pointer, code: 'invalid_url', detail: 'Expected an address that begins with `https://` or `http://`.' }]
}

/** Fields that the network, or the placement, does not have. */
function fieldIssues(type: NetworkType, content: SocialContent): Found[] {
  const { fields, placements: known } = capabilities[type]
  const lacking = contentFields.filter(
    (name) =>
      !fields.includes(name) && content[name] !== null && (name !== 'media_ids' || content.media_ids.length > 0),
  )
  const issues = lacking.map(
    (name): Found => ({
      pointer: `/content/${name}`,
      code: 'unsupported_field',
      detail: `A publication of \`${type}\` has no \`${name}\`.`,
    }),
  )
  const { placement, share_to_feed } = content
  if (placement !== null && known.length > 0 && !known.includes(placement))
    issues.push({ pointer: '/content/placement', code: 'unsupported_placement', detail: `Expected ${listed(known)}.` })
  if (share_to_feed !== null && fields.includes('share_to_feed') && placement !== 'reel')
    issues.push({
      pointer: '/content/share_to_feed',
      code: 'unsupported_field',
      detail: 'Only a reel has `share_to_feed`.',
    })
  return issues
}

/** A publication needs something to show: a caption, a file, or a link. */
function emptyIssues(type: NetworkType, { caption, media_ids, link_url }: SocialContent): Found[] {
  const isFilled =
    !isEmpty(caption) || media_ids.length > 0 || (link_url !== null && capabilities[type].fields.includes('link_url'))
  const needsFile = capabilities[type].media.every(({ min }) => min > 0)
  return isFilled || needsFile
    ? []
    : [{ pointer: '/content/caption', code: 'required', detail: 'Expected a caption or a file.' }]
}

/**
 * Every issue of the content for a connection of this type: what validation, creation, scheduling and the first part of a publication report. `media`: those of
 * `content.media_ids` that are ready.
 */
export function contentIssues(
  type: NetworkType,
  content: SocialContent,
  media: readonly MediaFacts[],
  { fetchable }: Delivery,
): Issue[] {
  const other: Found[] =
    content.type === type
      ? []
      : [
          {
            pointer: '/content/type',
            code: 'type_differs',
            detail: `Expected \`${type}\`, the type of the connection.`,
          },
        ]
  const unreachable: Found[] =
    fetchable || content.media_ids.length === 0 || !fetches.includes(type)
      ? []
      : [
          {
            pointer: whole,
            code: 'media_not_reachable',
            detail:
              'The network fetches files from this installation, whose PUBLIC_URL is an address of this machine alone.',
          },
        ]
  const errors = [
    ...[...other, ...fieldIssues(type, content), ...emptyIssues(type, content), ...captionIssues(type, content)],
    ...titleIssues(type, content),
    ...(type === 'network_a_page' ? linkIssues(content) : []),
    ...[...mediaIssues(type, content, media), ...unreachable],
  ]
  const isHidden = type === 'network_b_business' && content.placement === 'story' && !isEmpty(content.caption)
  const warnings: Found[] = isHidden
    ? [{ pointer: '/content/caption', code: 'caption_not_shown', detail: 'A story does not show its caption.' }]
    : []
  return [
    ...errors.map((issue): Issue => ({ ...issue, severity: 'error' })),
    ...warnings.map((issue): Issue => ({ ...issue, severity: 'warning' })),
  ]
}

/** Networks that fetch files by their public address; the others get their bytes. */
const fetches: readonly NetworkType[] = ['network_a_page', 'network_b_business', 'network_e_account']
