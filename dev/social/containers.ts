// Containers of networks b and e: made of a file, a text or other containers, processed by a clock, published once,
// expired after a day.
import { type File, files } from './files.ts'
import { numberedId, posts } from './posts.ts'
import { settingsOf, takeFailure } from './settings.ts'
import { keyed, type Letter, now } from './state.ts'

const day = 86_400

/** `error`: set from the start on, and shown when the clock of processing has run. */
export type Container = {
  id: string
  network: Letter
  owner: string
  media_type: 'IMAGE' | 'VIDEO' | 'REELS' | 'STORIES' | 'CAROUSEL' | 'TEXT'
  item: boolean
  text: string
  file: string | null
  children: string[]
  reply_to: string | null
  link: string | null
  created_at: number
  ready_at: number
  error: string | null
  published: string | null
}
export type ContainerStatus = 'IN_PROGRESS' | 'FINISHED' | 'ERROR' | 'EXPIRED' | 'PUBLISHED'

export const containers = keyed<Container>('container', ({ id }) => id)
export const containerOf = (network: Letter, id: string): Container | undefined => {
  const found = containers.get(id)
  return found?.network === network ? found : undefined
}

export function statusOf(container: Container): ContainerStatus {
  if (container.published !== null) return 'PUBLISHED'
  if (now() - container.created_at >= day) return 'EXPIRED'
  if (now() < container.ready_at) return 'IN_PROGRESS'
  if (container.error !== null) return 'ERROR'
  const children = container.children.map((id) => statusOf(containers.get(id) as Container))
  return (['EXPIRED', 'ERROR', 'IN_PROGRESS'] as const).find((status) => children.includes(status)) ?? 'FINISHED'
}

type New = Pick<Container, 'owner' | 'media_type' | 'item' | 'text' | 'error'> & { file: File | null } & Partial<
    Pick<Container, 'children' | 'reply_to' | 'link'>
  >

export function addContainer(network: Letter, given: New): Container {
  const { owner, file } = given
  const { image_ms, video_ms } = settingsOf(network, owner)
  const fails = file !== null && takeFailure(network, owner)
  if (file) files.save(file)
  return containers.save({
    ...{ id: numberedId('180'), network, children: [], reply_to: null, link: null },
    ...given,
    file: file?.id ?? null,
    error: given.error ?? (fails ? 'processing failed' : null),
    created_at: now(),
    ready_at: now() + (file === null ? 0 : file.kind === 'video' ? video_ms : image_ms) / 1_000,
    published: null,
  })
}

/** The files of a container, in their order. */
export const filesOf = (container: Container): string[] =>
  container.file === null
    ? container.children.map((id) => (containers.get(id) as Container).file as string)
    : [container.file]

/** Given as a list of JSON, or with commas. */
export function childrenIn(given: string | undefined): string[] {
  if (!given) return []
  return given.startsWith('[') ? (JSON.parse(given) as unknown[]).map(String) : given.split(',').map((id) => id.trim())
}

/** Posts that containers of the account made in the last 24 hours. */
export const usedQuota = (network: Letter, owner: string): number =>
  containers
    .all()
    .filter((one) => one.network === network && one.owner === owner && one.published !== null)
    .filter(({ published }) => now() - (posts.get(`${network} ${published}`)?.visible_at ?? 0) < day).length
