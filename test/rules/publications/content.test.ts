// Content is judged by one rule, before anything is stored or sent.
import { describe, expect, test } from '@jest/globals'
import { type MediaFacts, SocialContent } from '../../../rules/publications/content.ts'
import { contentIssues, deliveredVariant } from '../../../rules/publications/content-issues.ts'
import type { NetworkType } from '../../../rules/social/networks/network-types.ts'
import { networks } from '../../../rules/social/networks/networks.ts'

type Given = Omit<Partial<SocialContent>, 'type' | 'media_ids'> & { media?: Partial<MediaFacts>[] }
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const image = {
  kind: 'image',
  mime_type: 'image/jpeg',
  bytes: 100_000,
  width: 1_080,
  height: 1_080,
  duration_s: null,
} as const
const video = {
  kind: 'video',
  mime_type: 'video/mp4',
  bytes: 5_000_000,
  width: 1_080,
  height: 1_920,
  duration_s: 20,
} as const
const gif = { ...image, kind: 'gif', mime_type: 'image/gif', width: 400, height: 400 } as const

const issuesOf = (type: NetworkType, { media = [], ...given }: Given, fetchable = true) => {
  const content = SocialContent.parse({ type, ...given, media_ids: media.map((_, n) => id(n)) })
  return contentIssues(
    type,
    content,
    media.map((one, n) => ({ ...image, ...one, id: id(n) })),
    { fetchable },
  )
}
/** Pointers and codes. */
const found = (type: NetworkType, given: Given) =>
  issuesOf(type, given).map(({ pointer, code }) => `${pointer} ${code}`)
const times = (count: number, one: Partial<MediaFacts> = image) => Array.from({ length: count }, () => one)

const [a, b, c, d, e] = [
  'network_a_page',
  'network_b_business',
  'network_c_channel',
  'network_d_account',
  'network_e_account',
] as const

describe('Content', () => {
  test('Content with an unknown field is refused, so that no file is left out by a typing mistake', () => {
    const { error } = SocialContent.safeParse({ type: d, caption: 'Hello', mediaIds: [id(1)] })
    expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['mediaIds'] }])
  })

  test('Content of each network that it takes has no issues', () => {
    const good: [NetworkType, Given][] = [
      [a, { caption: 'Hello' }],
      [a, { link_url: 'https://shop.example/new' }],
      [a, { media: times(10) }],
      [a, { media: [video] }],
      [a, { placement: 'reel', media: [video] }],
      [b, { caption: 'Hello', media: [image] }],
      [b, { media: [image, video] }],
      [b, { media: [{ ...video, duration_s: 800 }] }],
      [b, { placement: 'reel', share_to_feed: false, media: [video] }],
      [b, { placement: 'story', media: [{ ...image, height: 1_920 }] }],
      [c, { title: 'How we cut', caption: 'At work.', privacy: 'unlisted', made_for_kids: false, media: [video] }],
      [d, { caption: 'Hello' }],
      [d, { media: times(4) }],
      [d, { media: [gif] }],
      [d, { media: [video] }],
      [e, { caption: 'Hello' }],
      [e, { media: [...times(10), ...times(10, video)] }],
    ]
    for (const [type, given] of good) expect([type, given, issuesOf(type, given)]).toEqual([type, given, []])
  })

  test('Content of another type than the connection has an error at its type', () => {
    expect(contentIssues(e, SocialContent.parse({ type: d, caption: 'x' }), [], { fetchable: true })).toMatchObject([
      { pointer: '/content/type', code: 'type_differs', severity: 'error' },
    ])
  })

  test('A field that the type or the placement lacks is an error', () => {
    expect(found(d, { caption: 'x', title: 'T', placement: 'feed', link_url: 'https://shop.example' })).toEqual([
      '/content/placement unsupported_field',
      '/content/title unsupported_field',
      '/content/link_url unsupported_field',
    ])
    expect(found(c, { title: 'T', share_to_feed: true, media: [video] })).toEqual([
      '/content/share_to_feed unsupported_field',
    ])
    expect(found(b, { share_to_feed: true, media: [image] })).toEqual(['/content/share_to_feed unsupported_field'])
    expect(found(a, { placement: 'story', media: [image] })).toEqual(['/content/placement unsupported_placement'])
    expect(found(a, { link_url: 'https://shop.example', media: [image] })).toEqual([
      '/content/link_url unsupported_field',
    ])
    expect(found(a, { caption: 'x', link_url: 'shop.example' })).toEqual(['/content/link_url invalid_url'])
  })

  test('Nothing to show, or a missing file or title, is an error at its field', () => {
    for (const type of [a, d, e] as const)
      expect(found(type, { caption: ' \n' })).toEqual(['/content/caption required'])
    expect(found(b, { caption: 'x' })).toEqual(['/content/media_ids required'])
    expect(found(c, { caption: 'x' })).toEqual(['/content/title required', '/content/media_ids required'])
    expect(found(c, { title: '<b>', caption: 'a > b', media: [video] })).toEqual([
      '/content/caption unsupported_character',
      '/content/title unsupported_character',
    ])
  })

  test('A caption that is too long names its limit and its length, in the unit of the network', () => {
    const limits: [NetworkType, string, number][] = [
      [a, 'x', 63_206],
      [b, 'é', 2_200],
      [d, '日', 140],
      [e, '👍', 125],
    ]
    for (const [type, char, count] of limits) {
      const media = type === b ? [image] : []
      expect(issuesOf(type, { caption: char.repeat(count), media })).toEqual([])
      const { max } = networks[type].capability.caption
      const [issue] = issuesOf(type, { caption: char.repeat(count + 1), media })
      expect(issue).toMatchObject({ pointer: '/content/caption', code: 'too_long', limit: max })
      expect(issue?.actual).toBeGreaterThan(max)
    }
    expect(found(b, { caption: `${'#a '.repeat(31)}${'@a '.repeat(21)}`, media: [image] })).toEqual([
      '/content/caption too_many_hashtags',
      '/content/caption too_many_mentions',
    ])
    expect(found(e, { caption: [1, 2, 3, 4, 5, 6].map((n) => `https://a.com/${n}`).join(' ') })).toEqual([
      '/content/caption too_many_links',
    ])
    expect(found(d, { caption: 'a\uFEFFb' })).toEqual(['/content/caption unsupported_character'])
  })
})

describe('Files', () => {
  test('Counts, kinds and mixtures that no row of the capabilities has are errors', () => {
    expect(found(a, { media: times(11) })).toEqual(['/content/media_ids too_many_files'])
    expect(found(a, { media: [image, video] })).toEqual(['/content/media_ids mixed_kinds'])
    expect(found(a, { media: [gif] })).toEqual(['/content/media_ids/0 unsupported_kind'])
    expect(found(b, { placement: 'story', media: times(2) })).toEqual(['/content/media_ids too_many_files'])
    expect(found(b, { placement: 'reel', media: [image] })).toEqual(['/content/media_ids/0 unsupported_kind'])
    expect(found(c, { title: 'T', media: [video, video] })).toEqual(['/content/media_ids too_many_files'])
    expect(found(d, { media: times(5) })).toEqual(['/content/media_ids too_many_files'])
    expect(found(d, { media: [image, gif] })).toEqual(['/content/media_ids mixed_kinds'])
    expect(found(e, { caption: 'x', media: [{ ...image, kind: null, mime_type: 'application/pdf' }] })).toEqual([
      '/content/media_ids/0 unsupported_kind',
    ])
  })

  test('A file that is unknown, of another type, or out of its limits is an error at its place', () => {
    const content = SocialContent.parse({ type: d, media_ids: [id(7)] })
    expect(contentIssues(d, content, [], { fetchable: true })).toMatchObject([
      { pointer: '/content/media_ids/0', code: 'not_found' },
    ])
    const wrong: [NetworkType, Given, string][] = [
      [a, { placement: 'reel', media: [{ ...video, width: 1_080, height: 1_080 }] }, 'unsupported_aspect'],
      [a, { placement: 'reel', media: [{ ...video, duration_s: 91 }] }, 'duration_too_long'],
      [b, { media: [{ ...image, height: 1_400 }] }, 'unsupported_aspect'],
      [b, { media: [{ ...video, duration_s: 2 }] }, 'duration_too_short'],
      [b, { placement: 'story', media: [{ ...video, duration_s: 61 }] }, 'duration_too_long'],
      [d, { media: [{ ...video, bytes: 600 * 2 ** 20 }] }, 'file_too_large'],
      [d, { media: [{ ...gif, bytes: 16 * 2 ** 20 }] }, 'file_too_large'],
      [d, { media: [{ ...image, width: 3 }] }, 'too_few_pixels'],
      [d, { media: [{ ...video, mime_type: 'video/webm' }] }, 'unsupported_type'],
      [e, { media: [{ ...video, width: 2_160, height: 3_840 }] }, 'too_wide'],
      [e, { media: [{ ...image, mime_type: 'image/bmp' }] }, 'unsupported_type'],
      [c, { title: 'T', media: [{ ...video, duration_s: null }] }, 'media_unreadable'],
    ]
    for (const [type, given, code] of wrong)
      expect([type, code, found(type, given)]).toEqual([type, code, [`/content/media_ids/0 ${code}`]])
    expect(found(b, { media: [image, { ...video, duration_s: 61 }] })).toEqual([
      '/content/media_ids/1 duration_too_long',
    ])
  })

  test('An image that a network does not take as it is, it gets as a JPEG', () => {
    const large = { ...image, bytes: 20 * 2 ** 20 }
    const types: [NetworkType, Partial<MediaFacts>, string][] = [
      [a, image, 'original'],
      [a, { ...image, mime_type: 'image/webp' }, 'jpeg'],
      [b, { ...image, mime_type: 'image/png' }, 'jpeg'],
      [b, large, 'jpeg'],
      [d, { ...image, mime_type: 'image/webp' }, 'original'],
      [d, { ...image, width: 9_000 }, 'jpeg'],
      [e, { ...image, mime_type: 'image/avif' }, 'jpeg'],
      [d, gif, 'original'],
      [c, video, 'original'],
    ]
    for (const [type, file, variant] of types)
      expect([type, file, deliveredVariant(type, { ...image, ...file })]).toEqual([type, file, variant])
    for (const type of [a, b, d, e] as const) expect(issuesOf(type, { media: [large] })).toEqual([])
    // What is judged is what is sent: a JPEG of 1440 pixels would be a pixel high.
    expect(found(d, { media: [{ ...image, width: 30_000, height: 40 }] })).toEqual([
      '/content/media_ids/0 too_few_pixels',
    ])
  })

  test('A network that fetches files cannot reach an installation on the same machine', () => {
    for (const type of [a, b, e] as const) {
      expect(issuesOf(type, { caption: 'x', media: [image] }, false)).toMatchObject([
        { pointer: '/content/media_ids', code: 'media_not_reachable' },
      ])
    }
    expect(issuesOf(d, { media: [image] }, false)).toEqual([])
    expect(issuesOf(e, { caption: 'x' }, false)).toEqual([])
  })

  test('The caption of a story is a warning', () => {
    expect(issuesOf(b, { placement: 'story', caption: 'x', media: [image] })).toMatchObject([
      { pointer: '/content/caption', code: 'caption_not_shown', severity: 'warning' },
    ])
  })
})
