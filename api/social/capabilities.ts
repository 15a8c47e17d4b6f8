// What each network accepts, for the forms of clients. POST …/social-publications/validate judges one publication by
// the same table.
import { z } from 'zod'
import { config } from '../../config.ts'
import { captionUnits } from '../../rules/publications/text-lengths.ts'
import { contentFields, mediaKinds, metricNames, placements } from '../../rules/social/networks/capability.ts'
import { NetworkType, networkTypes } from '../../rules/social/networks/network-types.ts'
import { networks, networkTypeText } from '../../rules/social/networks/networks.ts'
import { route } from '../kit/route.ts'

const range = (description: string) =>
  z
    .object({ min: z.number().describe('Smallest value.'), max: z.number().describe('Largest value.') })
    .nullable()
    .describe(description)
const limit = (description: string) => z.int().nullable().describe(description)
const Kind = z.enum(mediaKinds)

const FileLimits = z
  .object({
    kind: Kind.describe('Kind of files that the limits are of.'),
    mime_types: z.array(z.string()).describe('Media types that are accepted.'),
    bytes_max: z.int().describe('Largest size of a file, in bytes.'),
    aspect: range('Width through height, as displayed; null: not limited.'),
    width: range('Width in pixels; null: not limited.'),
    short_side: range('Shorter side in pixels; null: not limited.'),
    long_side: range('Longer side in pixels; null: not limited.'),
    duration_s: range('Duration in seconds; null for images.'),
  })
  .meta({ id: 'SocialFileLimits' })

const Capability = z
  .object({
    type: NetworkType.describe(networkTypeText),
    configured: z
      .boolean()
      .describe('Whether the installation has an app at this network: without one, no account can be connected.'),
    caption: z
      .object({
        max: z.int().describe('Largest length of a caption.'),
        unit: z
          .enum(captionUnits)
          .describe(
            'What is counted: `characters` (code points), `bytes` of UTF-8, `weighted` (a link counts 23, a wide character or an emoji 2), `emoji_bytes` (an emoji counts the ' +
              'bytes of its UTF-8, any other character 1).',
          ),
        required: z.boolean().describe('Whether a publication needs a caption.'),
        hashtags_max: limit('Largest number of hashtags; null: not limited.'),
        mentions_max: limit('Largest number of mentions; null: not limited.'),
        links_max: limit('Largest number of different links; null: not limited.'),
      })
      .describe('Limits of captions.'),
    title: z
      .object({
        max: z.int().describe('Largest length of a title, in code points.'),
        required: z.boolean().describe('Whether a publication needs a title.'),
      })
      .nullable()
      .describe('Limits of titles; null if publications have none.'),
    fields: z.array(z.enum(contentFields)).describe('Fields that the content of a publication may have.'),
    placements: z
      .array(z.enum(placements))
      .describe('Where a publication may appear; empty if the network has no placements.'),
    media: z
      .array(
        z.object({
          placement: z
            .enum(placements)
            .nullable()
            .describe('Placement that the row is for; null if the network has none.'),
          kinds: z.array(Kind).describe('Kinds of files.'),
          min: z.int().describe('Smallest number of files.'),
          max: z.int().describe('Largest number of files.'),
          mixed: z.boolean().describe('Whether files of different kinds may stand in one publication.'),
          mime_types: z.array(z.string()).describe('Media types that are accepted.'),
          bytes_max: z.int().describe('Largest size of one file of any kind, in bytes.'),
          files: z.array(FileLimits).describe('Limits of one file, by its kind.'),
        }),
      )
      .describe(
        'What files a publication may have: one row must fit. Images that the network does not take as they are, it gets as a JPEG.',
      ),
    comments: z.boolean().describe('Whether comments can be read and answered.'),
    reply: z
      .object({
        max: z.int().describe('Largest length of a reply.'),
        unit: z.enum(captionUnits).describe('What is counted, as in `caption`.'),
      })
      .describe('Limits of replies to comments.'),
    metrics: z.array(z.enum(metricNames)).describe('Figures that the network reports.'),
    posts_per_day: z
      .int()
      .nullable()
      .describe('Publications that the network accepts in 24 hours; null if it sets no limit.'),
  })
  .meta({ id: 'SocialCapability', description: 'What a network accepts and reports.' })

function shown(type: NetworkType) {
  const { media, images: _, ...others } = networks[type].capability
  return {
    ...{ type, configured: config.social.apps[type] !== null },
    ...others,
    media: media.map((row) => ({
      ...row,
      kinds: row.files.map(({ kind }) => kind),
      mixed: row.files.length > 1 && row.max > 1,
      mime_types: row.files.flatMap(({ mime_types }) => mime_types),
      bytes_max: Math.max(...row.files.map(({ bytes_max }) => bytes_max)),
    })),
  }
}

export const socialCapabilities = [
  route('GET /v1/stores/{storeId}/social-connections/capabilities', {
    may: 'admin',
    operation: 'listSocialCapabilities',
    summary: 'List what each network accepts',
    description:
      'The five types of connections, with the limits of captions and files, and whether accounts can be connected. `POST …/social-publications/validate` applies them.',
    out: z.object({ items: z.array(Capability).describe('One row for each type.') }),
    run: () => ({ items: networkTypes.map(shown) }),
  }),
]
