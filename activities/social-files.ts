// Public addresses of files, in a type that the network takes.
import { config } from '../config.ts'
import type { MediaFile } from '../entities/social/media-facts.ts'
import type { NetworkType } from '../rules/social/networks.ts'
import type { PartFile } from '../rules/social/publishing/publisher.ts'

export const publicFileOf = (_: NetworkType, { id, kind, mime_type, bytes }: MediaFile): PartFile => ({
  ...{ kind, mime_type, bytes },
  url: `${config.publicUrl}/media/${id}/original`,
})
