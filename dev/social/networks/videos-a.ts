// Videos and reels of network a: uploaded hidden, processed by a clock, published by one call.

import { graph, graphMissing, graphParameter } from '../errors.ts'
import { type File, fetchFile, files, store } from '../files.ts'
import { fieldsIn, graphTime, pick, withToken } from '../graph.ts'
import type { Answer, Call, Route } from '../network.ts'
import { addPost, numberedId, type Post, postOf, posts, shown } from '../posts.ts'
import { settingsOf, takeFailure } from '../settings.ts'
import { keyed, now, type Token } from '../state.ts'

const GiB = 1024 ** 3

/** `file` null: not uploaded yet. Its post exists when it is published. */
export type Video = {
  id: string
  page: string
  reel: boolean
  title: string | null
  text: string
  file: string | null
  error: string | null
  created_at: number
  ready_at: number
}
export const videos = keyed<Video>('video', ({ id }) => id)
export const videoOf = (id: string, token: Token): Video | undefined => {
  const video = videos.get(id)
  return video && video.page === token.page && !posts.get(`a ${id}`)?.deleted_at ? video : undefined
}

/** A damaged or unsuitable video fails while it is processed. */
function errorOf({ kind, mime_type, bytes, width, height, duration_s }: File, reel: boolean): string | null {
  if (
    kind !== 'video' ||
    !['video/mp4', 'video/quicktime'].includes(mime_type) ||
    width === null ||
    height === null ||
    duration_s === null
  )
    return 'The video file you selected is in a format that we don’t support.'
  if (bytes > (reel ? 1 : 10) * GiB) return 'The video is too large.'
  if (!reel)
    return duration_s < 1 || duration_s > 4 * 3_600 ? 'The video must be between 1 second and 240 minutes long.' : null
  if (duration_s < 3 || duration_s > 90) return 'A reel must be between 3 and 90 seconds long.'
  if (Math.abs(width / height - 9 / 16) > 0.02) return 'The aspect ratio of a reel must be 9:16.'
  return width < 540 || height < 960 ? 'A reel needs at least 540 x 960 pixels.' : null
}

function uploaded(video: Video, file: File): Video {
  const fails = takeFailure('a', video.page)
  files.save(file)
  const error = errorOf(file, video.reel) ?? (fails ? 'The video could not be processed.' : null)
  return videos.save({ ...video, file: file.id, error, ready_at: now() + settingsOf('a', video.page).video_ms / 1_000 })
}

const newVideo = (token: Token, reel: boolean, more: Partial<Video> = {}): Video => ({
  ...{
    id: numberedId('122'),
    page: token.page ?? '',
    reel,
    title: null,
    text: '',
    file: null,
    error: null,
    created_at: now(),
    ready_at: 0,
  },
  ...more,
})

const statusOf = ({ file, error, ready_at }: Video) =>
  file === null ? 'uploading' : now() < ready_at ? 'processing' : error === null ? 'ready' : 'error'

function publish(video: Video): Answer {
  const post = addPost({
    ...{
      id: video.id,
      network: 'a',
      owner: video.page,
      kind: video.reel ? 'reel' : 'video',
      text: video.text,
      title: video.title,
      files: [video.file as string],
    },
    ...{ permalink: video.reel ? `/reel/${video.id}/` : `/${video.page}/videos/${video.id}/`, visible_at: now() },
  })
  return { status: 200, body: { success: true }, effect: true, visible: shown(post) }
}

const isFalse = (value: string | undefined) => value === 'false' || value === '0'

function upload({ fields }: Call, token: Token): Answer | Promise<() => Answer> {
  const { file_url, description = '', title = null } = fields
  if (!token.page || !file_url) return graphParameter('No video file was given: file_url is required.')
  return fetchFile(file_url).then((file) => () => {
    if (!file)
      return graph(400, 389, '(#389) Unable to fetch video file from URL.', {
        subcode: 1_363_057,
        user: 'Unable to fetch the video file from the URL.',
      })
    const video = uploaded(newVideo(token, false, { text: description, title }), file)
    if (isFalse(fields.published)) return { status: 200, body: { id: video.id }, effect: true }
    return { ...publish(video), body: { id: video.id } }
  })
}

function reels({ fields }: Call, token: Token): Answer {
  const { upload_phase, video_id = '', video_state, description = '', title = null } = fields
  if (upload_phase === 'start') {
    const { id } = videos.save(newVideo(token, true))
    return {
      status: 200,
      body: { video_id: id, upload_url: `https://rupload.facebook.com/video-upload/v25.0/${id}` },
      effect: true,
    }
  }
  if (upload_phase !== 'finish') return graphParameter('upload_phase must be one of {start, finish}')
  const video = videoOf(video_id, token)
  if (!video?.reel) return graphMissing(video_id, 'post')
  if (video.file === null)
    return graph(400, 6_000, 'There was a problem uploading your video file.', {
      subcode: 1_363_130,
      user: 'The upload of the video is not complete.',
    })
  if (postOf('a', video_id)) return graphParameter('The video was published already.')
  if (statusOf(video) === 'error')
    return graph(400, 352, `(#352) ${video.error}`, { subcode: 1_363_024, user: String(video.error) })
  const changed = videos.save({ ...video, text: description, title })
  return video_state === 'PUBLISHED' ? publish(changed) : { status: 200, body: { success: true }, effect: true }
}

/** The host of uploads takes the file in one body, or fetches it. */
function receive({ params, headers, body }: Call, token: Token): Answer | Promise<() => Answer> {
  const video = videoOf(params.video ?? '', token)
  if (!video || video.file !== null)
    return {
      status: 404,
      body: { debug_info: { retriable: false, type: 'NotFoundError', message: 'The upload session does not exist.' } },
    }
  const bad = (message: string): Answer => ({
    status: 400,
    body: { debug_info: { retriable: false, type: 'PartialRequestError', message } },
  })
  const done = (file: File) => (): Answer => {
    uploaded(video, file)
    return { status: 200, body: { success: true }, effect: true }
  }
  const url = [headers.file_url ?? []].flat()[0]
  if (url !== undefined)
    return fetchFile(url).then((file) => (file ? done(file) : () => bad('The file could not be fetched.')))
  if (headers.offset !== '0' || Number(headers.file_size) !== body.length)
    return bad('Partial request: offset and file_size do not fit the body.')
  return store(body).then(done)
}

const phase = (status: string) => ({ status })
export function showVideo(call: Call, video: Video): Answer {
  const status = statusOf(video)
  const post = postOf('a', video.id)
  const processing = { uploading: 'not_started', processing: 'in_progress', ready: 'complete', error: 'error' }[status]
  const whole = {
    id: video.id,
    description: video.text,
    title: video.title ?? undefined,
    created_time: graphTime(video.created_at),
    published: post !== undefined,
    permalink_url: post?.permalink,
    post_id: post ? `${video.page}_${video.id}` : undefined,
    length: files.get(video.file ?? '')?.duration_s ?? undefined,
    status: {
      video_status: status,
      uploading_phase: phase(video.file === null ? 'in_progress' : 'complete'),
      processing_phase: { ...phase(processing), ...(status === 'error' ? { error: { message: video.error } } : {}) },
      publishing_phase: post
        ? { status: 'complete', publish_status: 'published', publish_time: graphTime(post.visible_at as number) }
        : phase('not_started'),
    },
  }
  return { status: 200, body: pick(whole, fieldsIn(call, ['id', 'description', 'created_time'])) }
}

/** `published=true` shows a video that was uploaded hidden. */
export function changeVideo({ fields }: Call, video: Video): Answer {
  const { description = video.text, title = video.title } = fields
  const changed = videos.save({ ...video, text: description, title })
  const done = { status: 200, body: { success: true } }
  if (fields.published !== 'true' && fields.published !== '1') return { ...done, effect: true }
  if (statusOf(video) === 'error' || video.reel)
    return graph(400, 352, `(#352) ${video.error ?? 'A reel is published by its upload phase finish.'}`)
  return postOf('a', video.id) ? done : publish(changed)
}

export function removeVideo(video: Video): Answer {
  const post: Post | undefined = posts.get(`a ${video.id}`)
  if (post) posts.save({ ...post, deleted_at: now() })
  // Of a hidden one only the name is left.
  videos.save({ ...video, page: '' })
  return { status: 200, body: { success: true }, effect: true }
}

export const videoRoutesOfA: Route[] = [
  ['POST', 'graph.facebook.com/:v/:user/videos', withToken(upload)],
  ['POST', 'graph-video.facebook.com/:v/:user/videos', withToken(upload)],
  ['POST', 'graph.facebook.com/:v/:user/video_reels', withToken(reels)],
  ['POST', 'rupload.facebook.com/video-upload/:v/:video', withToken(receive)],
]
