// What the validation of a publication reports: the limits of the network that its content exceeds.
import { jpegSide, scaledTo } from '../content/media.ts'
import {
  contentFields,
  type FileRule,
  type MediaKind,
  type MediaRule,
  type Range,
} from '../social/networks/capability.ts'
import type { NetworkType } from '../social/networks/network-types.ts'
import { networks } from '../social/networks/networks.ts'
import { isEmpty } from '../social/networks/texts.ts'
import type { Finding, Issue, MediaFacts, SocialContent } from './content.ts'
import { addressesIn, captionLength, hashtagsIn, mentionsIn } from './text-lengths.ts'

/** What the installation can do, besides the content itself. */
export type Delivery = {
  /** False: networks cannot fetch our files, because PUBLIC_URL is an address of this machine. */
  fetchable: boolean
}

const names = { image: 'images', gif: 'GIFs', video: 'videos' } as const
const listed = (values: readonly string[]): string => values.map((value) => `\`${value}\``).join(', ')
const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** Which stored file of an image the network gets. */
export function deliveredVariant(
  type: NetworkType,
  { kind, mime_type, bytes, width, height }: Omit<MediaFacts, 'id' | 'duration_s'>,
): 'original' | 'jpeg' {
  const { images } = networks[type].capability
  if (kind !== 'image' || !images) return 'original'
  const isSmall = images.side_max === null || Math.max(width ?? 0, height ?? 0) <= images.side_max
  return images.mime_types.includes(mime_type) && bytes <= images.bytes_max && isSmall ? 'original' : 'jpeg'
}

/** A file as the network gets it. */
function delivered(type: NetworkType, file: MediaFacts): MediaFacts {
  if (deliveredVariant(type, file) === 'original' || file.width === null || file.height === null) return file
  return { ...file, ...scaledTo(jpegSide, { width: file.width, height: file.height }), bytes: 0 }
}

type Bound = { range: Range | null; value: number | null; code: [low: string, high: string]; what: string }

/** Limits that a file exceeds. */
function fileIssues(pointer: string, type: NetworkType, rule: FileRule, file: MediaFacts): Finding[] {
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
function rowFor(rows: readonly MediaRule[], kinds: readonly MediaKind[], count: number): MediaRule | Finding {
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
): Finding[] {
  const { placements, media: all } = networks[type].capability
  const where = placements.length === 0 ? null : (placement ?? 'feed')
  const rows = all.filter((row) => row.placement === where)
  // Another error says that there is no such placement.
  if (rows.length === 0) return []
  const accepted = new Set(rows.flatMap(({ files }) => files.map(({ kind }) => kind)))
  const files = media_ids.map((id) => media.find((one) => one.id === id))
  const issues = files.flatMap((file, index): Finding[] => {
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

function captionIssues(type: NetworkType, { caption }: SocialContent): Finding[] {
  const pointer = '/content/caption'
  if (caption === null) return []
  const { max, unit, hashtags_max, mentions_max, links_max } = networks[type].capability.caption
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
  const issues = counted.flatMap(([code, what, limit, actual]): Finding[] =>
    limit === null || actual <= limit
      ? []
      : [{ pointer, code, detail: `The caption has ${actual} ${what}; ${limit} are allowed.`, limit, actual }],
  )
  return [...issues, ...textIssues(type, pointer, caption)]
}

/** Characters that the network refuses. */
function textIssues(type: NetworkType, pointer: string, text: string): Finding[] {
  const issue = networks[type].content.textIssue?.(pointer, text)
  return issue ? [issue] : []
}

function titleIssues(type: NetworkType, { title }: SocialContent): Finding[] {
  const pointer = '/content/title'
  const limits = networks[type].capability.title
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
    ...textIssues(type, pointer, title as string),
  ]
}

/** Fields that the network, or the placement, does not have. */
function fieldIssues(type: NetworkType, content: SocialContent): Finding[] {
  const { fields, placements } = networks[type].capability
  const lacking = contentFields.filter(
    (name) =>
      !fields.includes(name) && content[name] !== null && (name !== 'media_ids' || content.media_ids.length > 0),
  )
  const issues = lacking.map(
    (name): Finding => ({
      pointer: `/content/${name}`,
      code: 'unsupported_field',
      detail: `A publication of \`${type}\` has no \`${name}\`.`,
    }),
  )
  const { placement, share_to_feed } = content
  if (placement !== null && placements.length > 0 && !placements.includes(placement))
    issues.push({
      pointer: '/content/placement',
      code: 'unsupported_placement',
      detail: `Expected ${listed(placements)}.`,
    })
  if (share_to_feed !== null && fields.includes('share_to_feed') && placement !== 'reel')
    issues.push({
      pointer: '/content/share_to_feed',
      code: 'unsupported_field',
      detail: 'Only a reel has `share_to_feed`.',
    })
  return issues
}

/** A publication needs something to show: a caption, a file, or a link. */
function emptyIssues(type: NetworkType, { caption, media_ids, link_url }: SocialContent): Finding[] {
  const isFilled =
    !isEmpty(caption) ||
    media_ids.length > 0 ||
    (link_url !== null && networks[type].capability.fields.includes('link_url'))
  const needsFile = networks[type].capability.media.every(({ min }) => min > 0)
  return isFilled || needsFile
    ? []
    : [{ pointer: '/content/caption', code: 'required', detail: 'Expected a caption or a file.' }]
}

/**
 * Every issue of the content for a connection of this type: what validation, creation, scheduling and the first part of
 * a publication report. `media`: those of `content.media_ids` that are ready.
 */
export function contentIssues(
  type: NetworkType,
  content: SocialContent,
  media: readonly MediaFacts[],
  { fetchable }: Delivery,
): Issue[] {
  const other: Finding[] =
    content.type === type
      ? []
      : [
          {
            pointer: '/content/type',
            code: 'type_differs',
            detail: `Expected \`${type}\`, the type of the connection.`,
          },
        ]
  const unreachable: Finding[] =
    fetchable || content.media_ids.length === 0 || !networks[type].publisher.fetches
      ? []
      : [
          {
            pointer: whole,
            code: 'media_not_reachable',
            detail:
              'The network fetches files from this installation, whose PUBLIC_URL is an address of this machine alone.',
          },
        ]
  const { content: rules } = networks[type]
  const [linkIssue, warning] = [rules.linkIssue?.(content), rules.warning?.(content)]
  const errors = [
    ...[...other, ...fieldIssues(type, content), ...emptyIssues(type, content), ...captionIssues(type, content)],
    ...titleIssues(type, content),
    ...(linkIssue ? [linkIssue] : []),
    ...[...mediaIssues(type, content, media), ...unreachable],
  ]
  return [
    ...errors.map((issue): Issue => ({ ...issue, severity: 'error' })),
    ...(warning ? [{ ...warning, severity: 'warning' as const }] : []),
  ]
}
