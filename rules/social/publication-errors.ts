// Why a post did not become visible, and which file of it is meant.

/** A file of the content: its place as a JSON pointer, and its id. */
export type FilePlace = { pointer: string; media_id: string }
/**
 * Why a publication failed, is unknown, or became a draft again. `provider_code`: the network's own. `pointer`,
 * `media_id`: the part of the content.
 */
export type PublicationError = { code: string; message: string; provider_code?: string | undefined } & {
  [K in keyof FilePlace]?: string | undefined
}

/** Where a file is in the content; none for a part without a file. */
export function filePlace(
  mediaIds: readonly string[],
  mediaId: string | null | undefined,
): FilePlace | Record<string, never> {
  const index = mediaId ? mediaIds.indexOf(mediaId) : -1
  return mediaId && index >= 0 ? { pointer: `/content/media_ids/${index}`, media_id: mediaId } : {}
}
