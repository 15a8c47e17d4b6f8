// Network e (Threads): a text alone is a container, too.
import { publisherOf } from './containers.ts'

export const networkE = publisherOf({
  ...{
    host: 'graph.threads.net',
    base: '/v1.0',
    make: 'threads',
    publish: 'threads_publish',
    posts: 'threads',
    text: 'text',
    status: 'status',
    reason: 'error_message',
  },
  post: ({ caption, media_ids }) => ({
    ...(caption ? { text: caption } : {}),
    ...(media_ids.length === 0 ? { media_type: 'TEXT' } : {}),
  }),
  file: ({ kind, url }): Record<string, string> =>
    kind === 'video' ? { media_type: 'VIDEO', video_url: url } : { media_type: 'IMAGE', image_url: url },
})
