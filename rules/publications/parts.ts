// Parts of a publication: what is made at the network before the reveal. No visitor sees them, so they may be made
// again.

/** `file`: a picture, or an uploaded file; `item`: of a carousel; the last part of a publication needs all others. */
export const partKinds = ['file', 'item', 'video', 'reel', 'post', 'container'] as const
export type PartKind = (typeof partKinds)[number]
/** `made`: the network has it and processes it. */
export const partStates = ['new', 'made', 'ready', 'failed'] as const
export type PartState = (typeof partStates)[number]

/**
 * What the network calls it: `id`; `key` of a file in posts (network d); `url` of an upload. `told`: the network was
 * notified that the upload is complete.
 */
export type PartRef = { id?: string; key?: string; url?: string; told?: true }

export type PlannedPart = { kind: PartKind; media_id: string | null }

/** Tries that end without progress; after the last one the part has failed. */
export const partTriesMax = 20
/** Pause after a try: 1 s, doubling, at most a minute. */
export const partPauseS = (tries: number): number => Math.min(60, 2 ** Math.min(6, Math.max(0, tries - 1)))
/** A lease is longer than the calls that it covers. */
export const partLeaseS = 60
/** A part that the network forgets so soon is made again, so that it lasts until after the reveal. */
export const partSpareS = 900
