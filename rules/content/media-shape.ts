// A file as answers describe it: its record, and the file of a block.
import { z } from 'zod'
import { VisibleMediaStatus } from './media.ts'

const MediaFile = z
  .strictObject({
    url: z.string().describe('Address of the file.'),
    width: z
      .int()
      .nullable()
      .describe('Width in pixels, as displayed; null for a file that is not an image, and until it is known.'),
    height: z
      .int()
      .nullable()
      .describe('Height in pixels, as displayed; null for a file that is not an image, and until it is known.'),
    size: z.int().describe('Size in bytes.'),
    mime_type: z.string().describe('Media type of the file.'),
  })
  .meta({ id: 'MediaFile' })

export const mediaFields = {
  id: z.string().describe('Identifier of the file, a UUIDv7 made by the server.'),
  name: z.string().describe('File name that is shown.'),
  mime_type: z.string().describe('Media type of the original, determined by its content and not by its name.'),
  size: z.int().describe('Size of the original, in bytes.'),
  width: z
    .int()
    .nullable()
    .describe(
      'Width of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known.',
    ),
  height: z
    .int()
    .nullable()
    .describe(
      'Height of the original in pixels, as displayed, of an image or a video; null for other files, and until it is known.',
    ),
  duration_s: z
    .number()
    .nullable()
    .describe(
      'Duration of an MP4 or QuickTime video in seconds; null for other files, and if the file does not say it.',
    ),
  status: VisibleMediaStatus.describe(
    '`processing` while smaller versions are made. The addresses of a file that is not `ready` return 404.',
  ),
  error: z
    .object({
      code: z.string().describe('Stable code of what went wrong.'),
      message: z.string().describe('What went wrong, for people.'),
    })
    .nullable()
    .describe('Why processing failed; null if it did not.'),
  url: z.string().describe('Address of the original.'),
  resolutions: z
    .record(z.string(), MediaFile)
    .describe(
      'From name to file: always `original`; of an image also `large`, `medium` and `thumbnail`, and `jpeg` once a social network needed it.',
    ),
}

/** What an answer adds to a block of the type `media`. */
export const BlockMedia = z
  .strictObject(mediaFields)
  .omit({ status: true, error: true })
  .meta({ id: 'BlockMedia', description: 'The file that a block of the type `media` names.' })
